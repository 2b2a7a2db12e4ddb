"""A kind of contract of our own for import-linter: packages that stand on the standard library alone."""

import sys

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields
from importlinter.application import output


class StandardLibraryOnly(Contract):
    """No module of a package imports anything but the package itself and the standard library."""

    type_name = "standard_library_only"

    package = fields.StringField()

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Return whether it is kept, with every import that breaks it."""
        package = str(self.package)
        foreign = sorted(
            (importer, imported)
            for importer in {package, *graph.find_descendants(package)}
            for imported in graph.find_modules_directly_imported_by(importer)
            if imported.split(".")[0] not in {package, *sys.stdlib_module_names}
        )
        return ContractCheck(kept=not foreign, metadata={"foreign": foreign})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print one line for each import that breaks it."""
        for importer, imported in check.metadata["foreign"]:
            output.print_error(f"{importer} may not import {imported}: only the standard library", bold=False)
