/* Annuvin from its end: what every covered position is worth under best play (docs/rules/annuvin.md).
 *
 * Retrograde analysis (Thompson, "Retrograde analysis of certain endgames", 1986). A position is the pieces of the
 * mover and of the other, seen from the mover, up to the symmetries of the board; positions with as many pieces and
 * reserves make a class. Classes are worked out from the smallest on, those between which play goes to and fro without
 * a capture together.
 *
 * A code says what a position is worth to the mover and how many turns the next capture is away that keeps that value:
 * 2d for a win, 2d + 1 for a loss, 0 for a draw. The winner hurries, the loser delays.
 *
 *   solve BOARD MOST DIRECTORY    works out all classes of up to MOST pieces a side, writes one file of codes a class,
 *                                 and counts as lines of JSON
 *   solve --verify BOARD MOST DIRECTORY    looks at every code of files written before: is it what those after each
 *                                 move make of it?
 *
 * A file is `BOARD-mo.raw`, on the square `BOARD-mo-rs.raw` (m and o pieces, r and s in reserve). Rows are the smallest
 * images of the mover's pieces, as sets of bits in ascending order (`BOARD-rows-m.raw`, 8 bytes each); in a row come all sets of the other's pieces, ranked among the cells that are left by
 * the combinatorial number system. A draw that can also be had by a capture is written as LOOSE.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 37, MOST_PIECES = 4, MOST_SYMMETRIES = 12, DRAW = 0, LOOSE = 254, OPEN = 255 };

typedef uint64_t Set;

typedef struct {
    int own, own_reserve, other, other_reserve, reach;
    uint32_t rows, columns;
    uint8_t *codes;
} Class;

static const char *board;
static int cells, size, symmetries, reserves;
static int distance[MOST_CELLS][MOST_CELLS];
static int image[MOST_SYMMETRIES][MOST_CELLS];
static uint32_t choose[MOST_CELLS + 1][MOST_PIECES + 2];

/* Sets of so many cells: the row of their smallest image, a symmetry that leads there, and the rows themselves. */
static uint16_t *row_of[MOST_PIECES + 1];
static uint8_t *symmetry_to[MOST_PIECES + 1];
static uint32_t row_count[MOST_PIECES + 1];
static Set *rows[MOST_PIECES + 1];
static uint8_t (*squeezed[MOST_PIECES + 1])[MOST_CELLS]; /* a cell's number among those that a row leaves free */
static uint16_t *keepers[MOST_PIECES + 1];               /* which symmetries leave a row as it is */

static Class classes[MOST_PIECES + 1][MOST_PIECES + 1][MOST_PIECES + 1][MOST_PIECES + 1];

static int lowest(Set set) { return __builtin_ctzll(set); }

static Set bit(int cell) { return (Set)1 << cell; }

static int count(Set set) {
    int n = 0;
    for (; set; set &= set - 1) n++;
    return n;
}

static void *room(size_t number, size_t each) {
    void *memory = calloc(number, each);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

/* ---- The board ------------------------------------------------------------------------------------------------- */

static int larger(int a, int b) { return a > b ? a : b; }

static void make_board(void) {
    int x[MOST_CELLS], y[MOST_CELLS];
    int hexagon = !strcmp(board, "hexagon"), side = hexagon ? 7 : 4;
    size = hexagon ? 6 : 4;
    symmetries = hexagon ? 12 : 8;
    reserves = !hexagon;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            if (!hexagon || abs(i - j) <= 3) {
                /* the square in halves, so that its middle is a whole number as well */
                x[cells] = hexagon ? i - 3 : 2 * i - 3;
                y[cells++] = hexagon ? j - 3 : 2 * j - 3;
            }
    for (int a = 0; a < cells; a++)
        for (int b = 0; b < cells; b++) {
            int dx = x[b] - x[a], dy = y[b] - y[a], far = larger(abs(dx), abs(dy));
            distance[a][b] = hexagon ? larger(far, abs(dx - dy)) : far / 2;
        }
    for (int s = 0; s < symmetries; s++)
        for (int a = 0; a < cells; a++) {
            int u = s & 1 ? y[a] : x[a], v = s & 1 ? x[a] : y[a];
            for (int turns = s / 2; turns; turns--) {
                int w = hexagon ? u - v : -v;
                v = u;
                u = w;
            }
            for (int b = 0; b < cells; b++)
                if (x[b] == u && y[b] == v) image[s][a] = b;
        }
}

static Set image_of(Set set, int symmetry) {
    Set result = 0;
    for (; set; set &= set - 1) result |= bit(image[symmetry][lowest(set)]);
    return result;
}

static uint32_t rank_of(Set set) {
    uint32_t rank = 0;
    for (int i = 1; set; set &= set - 1) rank += choose[lowest(set)][i++];
    return rank;
}

static Set next_set(Set set) { /* the next larger with as many bits (Gosper, HAKMEM 175) */
    Set low = set & -set, ripple = set + low;
    return ripple | (((set ^ ripple) >> 2) / low);
}

static void make_rows(int pieces) {
    uint32_t number = choose[cells][pieces];
    row_of[pieces] = room(number, sizeof(uint16_t));
    symmetry_to[pieces] = room(number, 1);
    rows[pieces] = room(number, sizeof(Set));
    squeezed[pieces] = room(number, MOST_CELLS);
    keepers[pieces] = room(number, sizeof(uint16_t));
    Set set = bit(pieces) - 1;
    for (uint32_t rank = 0; rank < number; rank++, set = pieces ? next_set(set) : 0) {
        Set best = set;
        int chosen = 0;
        for (int s = 1; s < symmetries; s++) {
            Set other = image_of(set, s);
            if (other < best) {
                best = other;
                chosen = s;
            }
        }
        symmetry_to[pieces][rank] = chosen;
        if (best == set) {
            uint32_t row = row_count[pieces]++;
            row_of[pieces][rank] = row;
            rows[pieces][row] = set;
            for (int s = 0; s < symmetries; s++)
                if (image_of(set, s) == set) keepers[pieces][row] |= 1 << s;
            for (int c = 0; c < cells; c++) squeezed[pieces][row][c] = c - count(set & (bit(c) - 1));
        } else {
            row_of[pieces][rank] = row_of[pieces][rank_of(best)]; /* smaller sets come first */
        }
    }
}

/* ---- Looking codes up ------------------------------------------------------------------------------------------ */

static size_t place_in(uint32_t row, int own, uint32_t columns, Set other) {
    uint32_t rank = 0;
    const uint8_t *number = squeezed[own][row];
    for (int i = 1; other; other &= other - 1) rank += choose[number[lowest(other)]][i++];
    return (size_t)row * columns + rank;
}

static uint8_t *code_at(const Class *class, Set own, Set other) {
    uint32_t rank = rank_of(own);
    Set turned = image_of(other, symmetry_to[class->own][rank]);
    return class->codes + place_in(row_of[class->own][rank], class->own, class->columns, turned);
}

static Class *after(const Class *class, int taken, int placed) {
    return &classes[class->other - taken][class->other_reserve][class->own + placed][class->own_reserve - placed];
}

static int is_win(int code) { return code && code < LOOSE && !(code & 1); }

static int is_loss(int code) { return code < LOOSE && (code & 1); }

/* The best that captures from a cell on bring: 1 a win, 0 a draw, -1 neither. */
static int best_capture(const Class *class, int at, int left, Set own, Set other, int taken) {
    int best = -1;
    for (Set targets = other; targets; targets &= targets - 1) {
        int to = lowest(targets), used = distance[at][to];
        if (used > left) continue;
        int remaining = class->other - taken - 1 + class->other_reserve;
        if (!remaining || (remaining == 1 && class->own + class->own_reserve == size)) return 1;
        Set moved = own ^ bit(at) ^ bit(to), fewer = other ^ bit(to);
        int code = *code_at(after(class, taken + 1, 0), fewer, moved);
        if (is_loss(code)) return 1;
        if (!is_win(code)) best = 0;
        if (used < left && fewer) {
            int further = best_capture(class, to, left - used, moved, fewer, taken + 1);
            if (further == 1) return 1;
            best = larger(best, further);
        }
    }
    return best;
}

static int captured_best(const Class *class, Set own, Set other) {
    int best = -1;
    for (Set pieces = own; pieces; pieces &= pieces - 1) {
        best = larger(best, best_capture(class, lowest(pieces), class->reach, own, other, 0));
        if (best == 1) break;
    }
    return best;
}

/* Calls `look` with the code after every turn without a capture, until it returns 0. */
static void each_quiet(const Class *class, Set own, Set other, int (*look)(int code, void *with), void *with) {
    uint32_t rank = rank_of(other), row = row_of[class->other][rank];
    const int *turned = image[symmetry_to[class->other][rank]];
    Class *next = after(class, 0, 0);
    Set here = 0;
    for (Set pieces = own; pieces; pieces &= pieces - 1) here |= bit(turned[lowest(pieces)]);
    for (Set pieces = own; pieces; pieces &= pieces - 1) {
        int from = lowest(pieces);
        Set rest = here ^ bit(turned[from]);
        for (int to = 0; to < cells; to++)
            if (distance[from][to] <= class->reach && !((own | other) >> to & 1))
                if (!look(next->codes[place_in(row, class->other, next->columns, rest | bit(turned[to]))], with)) return;
    }
    if (!class->own_reserve) return;
    next = after(class, 0, 1);
    for (int to = 0; to < cells; to++)
        if (!((own | other) >> to & 1))
            if (!look(next->codes[place_in(row, class->other, next->columns, here | bit(turned[to]))], with)) return;
}

/* ---- Working them out ------------------------------------------------------------------------------------------ */

typedef struct {
    Class *class;
    Set own, other;
    uint8_t *code;
} Position;

static void each_position(Class *class, void (*visit)(Position *, void *), void *with) {
    uint8_t *code = class->codes;
    for (uint32_t row = 0; row < class->rows; row++) {
        Set own = rows[class->own][row];
        int numbers[MOST_PIECES + 1], free_cells[MOST_CELLS], n = 0;
        for (int c = 0; c < cells; c++)
            if (!(own >> c & 1)) free_cells[n++] = c;
        for (int i = 0; i < class->other; i++) numbers[i] = i;
        numbers[class->other] = n;
        for (uint32_t column = 0; column < class->columns; column++, code++) {
            Position position = {class, own, 0, code};
            for (int i = 0; i < class->other; i++) position.other |= bit(free_cells[numbers[i]]);
            visit(&position, with);
            int i = 0; /* the next by the combinatorial number system */
            while (i < class->other && numbers[i] + 1 == numbers[i + 1]) i++;
            if (i < class->other) numbers[i]++;
            for (int j = 0; j < i && i < class->other; j++) numbers[j] = j;
        }
    }
}

typedef struct {
    int level;
    uint64_t found;
} Level;

static int is_one(int code, void *any) {
    (void)code;
    *(int *)any = 1;
    return 0;
}

/* What captures alone decide; nearly always there is something else to do as well. */
static void begin(Position *position, void *with) {
    Level *lost = with;
    int best = captured_best(position->class, position->own, position->other), any = 0;
    *position->code = best == 1 ? 2 : best == 0 ? LOOSE : OPEN;
    if (best < 0) each_quiet(position->class, position->own, position->other, is_one, &any);
    if (best < 0 && !any) {
        *position->code = 3;
        lost->found++;
    }
}

static int still_lost(int code, void *lost) { return *(int *)lost = is_win(code); }

/* All captures lose, and every other turn leads to a position that is won: lost. */
static void find_losses(Position *position, void *with) {
    Level *level = with;
    if (*position->code != OPEN) return;
    int lost = 1;
    each_quiet(position->class, position->own, position->other, still_lost, &lost);
    if (!lost) return;
    *position->code = 2 * level->level + 1;
    level->found++;
}

static void win(Class *class, Set own, Set other, Level *level) {
    uint32_t rank = rank_of(own), row = row_of[class->own][rank];
    Set turned = image_of(other, symmetry_to[class->own][rank]);
    uint8_t *code = class->codes + place_in(row, class->own, class->columns, turned);
    if (*code < LOOSE) return;
    /* a row that is symmetrical itself has the same position several times */
    for (int s = 0; s < symmetries; s++)
        if (keepers[class->own][row] >> s & 1)
            class->codes[place_in(row, class->own, class->columns, image_of(turned, s))] = 2 * level->level;
    level->found++;
}

/* Whoever could come to a lost position without a capture has won. */
static void find_wins(Position *position, void *with) {
    Level *level = with;
    const Class *class = position->class;
    if (*position->code != 2 * (level->level - 1) + 1) return;
    Class *before = &classes[class->other][class->other_reserve][class->own][class->own_reserve];
    Set taken = position->own | position->other;
    for (Set pieces = position->other; pieces; pieces &= pieces - 1) {
        int to = lowest(pieces);
        Set rest = position->other ^ bit(to);
        for (int from = 0; from < cells; from++)
            if (distance[from][to] <= before->reach && !(taken >> from & 1))
                win(before, rest | bit(from), position->own, level);
        if (reserves && class->other + class->other_reserve <= size && class->other_reserve < size)
            win(&classes[class->other - 1][class->other_reserve + 1][class->own][class->own_reserve], rest,
                position->own, level);
    }
}

static void each_class_of(int own, int other, void (*visit)(Class *, void *), void *with) {
    for (int swapped = 0; swapped <= (own != other); swapped++)
        for (int r = 0; r <= (reserves ? own : 0); r++)
            for (int q = 0; q <= (reserves ? other : 0); q++)
                visit(swapped ? &classes[other - q][q][own - r][r] : &classes[own - r][r][other - q][q], with);
}

typedef struct {
    void (*visit)(Position *, void *);
    void *with;
} Pass;

static void pass_over(Class *class, void *with) {
    Pass *pass = with;
    each_position(class, pass->visit, pass->with);
}

static void go_over(int own, int other, void (*visit)(Position *, void *), void *with) {
    Pass pass = {visit, with};
    each_class_of(own, other, pass_over, &pass);
}

static void make_class(Class *class, void *with) {
    (void)with;
    class->codes = room((size_t)class->rows * class->columns, 1);
    memset(class->codes, OPEN, (size_t)class->rows * class->columns);
}

static void solve(int own, int other) {
    each_class_of(own, other, make_class, NULL);
    Level first = {1, 0};
    go_over(own, other, begin, &first);
    uint64_t losses = first.found, wins = 1;
    for (int level = 2; losses || wins; level++) {
        Level lost = {level, 0}, won = {level, 0};
        if (wins) go_over(own, other, find_losses, &lost);
        if (losses) go_over(own, other, find_wins, &won);
        losses = lost.found;
        wins = won.found;
        fprintf(stderr, "%s %d %d: %d turns: %llu lost, %llu won\n", board, own, other, level,
                (unsigned long long)losses, (unsigned long long)wins);
    }
}

static void settle(Position *position, void *unused) {
    (void)unused;
    if (*position->code == OPEN) *position->code = DRAW;
}

/* ---- Files, counts, and looking at all of it again ------------------------------------------------------------- */

static const char *directory;

static FILE *opened(const char *name, const char *mode) {
    FILE *file = fopen(name, mode);
    if (!file) {
        perror(name);
        exit(1);
    }
    return file;
}

static void closed(FILE *file) {
    if (ferror(file) || fclose(file)) {
        perror("writing");
        exit(1);
    }
}

static FILE *file_of(const Class *class, const char *mode) {
    char name[4096];
    if (reserves)
        snprintf(name, sizeof name, "%s/%s-%d%d-%d%d.raw", directory, board, class->own, class->other,
                 class->own_reserve, class->other_reserve);
    else
        snprintf(name, sizeof name, "%s/%s-%d%d.raw", directory, board, class->own, class->other);
    return opened(name, mode);
}

static void write_rows(int pieces) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%s-rows-%d.raw", directory, board, pieces);
    FILE *file = opened(name, "wb");
    for (uint32_t row = 0; row < row_count[pieces]; row++)
        for (int byte = 0; byte < 8; byte++) fputc(rows[pieces][row] >> 8 * byte & 255, file);
    closed(file);
}

typedef struct {
    uint64_t by_code[256], no_capture;
} Counts;

static int symmetric_smallest(const Position *position) {
    uint32_t row = row_of[position->class->own][rank_of(position->own)];
    uint16_t kept = keepers[position->class->own][row];
    for (int s = 1; s < symmetries; s++)
        if (kept >> s & 1 && image_of(position->other, s) < position->other) return 0;
    return 1;
}

static int may_capture(const Position *position) {
    for (Set a = position->own; a; a &= a - 1)
        for (Set b = position->other; b; b &= b - 1)
            if (distance[lowest(a)][lowest(b)] <= position->class->reach) return 1;
    return 0;
}

static void count_position(Position *position, void *with) {
    Counts *counts = with;
    if (!symmetric_smallest(position)) return; /* each position once, however often it is stored */
    counts->by_code[*position->code == LOOSE ? DRAW : *position->code]++;
    counts->no_capture += !may_capture(position);
}

static void write_class(Class *class, void *unused) {
    (void)unused;
    size_t length = (size_t)class->rows * class->columns;
    FILE *file = file_of(class, "wb");
    fwrite(class->codes, 1, length, file);
    closed(file);
    Counts *counts = room(1, sizeof *counts);
    each_position(class, count_position, counts);
    printf("{\"board\": \"%s\", \"own\": %d, \"other\": %d, \"own_reserve\": %d, \"other_reserve\": %d, "
           "\"rows\": %u, \"columns\": %u, \"no_capture\": %llu, \"codes\": {",
           board, class->own, class->other, class->own_reserve, class->other_reserve, class->rows, class->columns,
           (unsigned long long)counts->no_capture);
    const char *comma = "";
    for (int code = 0; code < 256; code++)
        if (counts->by_code[code]) {
            printf("%s\"%d\": %llu", comma, code, (unsigned long long)counts->by_code[code]);
            comma = ", ";
        }
    printf("}}\n");
    fflush(stdout);
    free(counts);
}

static void read_class(Class *class, void *unused) {
    (void)unused;
    size_t length = (size_t)class->rows * class->columns;
    FILE *file = file_of(class, "rb");
    make_class(class, NULL);
    if (fread(class->codes, 1, length, file) != length) {
        fprintf(stderr, "a file is too short\n");
        exit(1);
    }
    fclose(file);
}

typedef struct {
    int quickest_win, slowest_loss, draw;
} Best;

static int take_best(int code, void *with) { /* code: what the position after a turn is worth to the other */
    Best *best = with;
    if (is_loss(code)) {
        if (!best->quickest_win || code / 2 < best->quickest_win) best->quickest_win = code / 2;
    } else if (is_win(code)) {
        best->slowest_loss = larger(best->slowest_loss, code / 2);
    } else {
        best->draw = 1;
    }
    return 1;
}

static void verify(Position *position, void *with) {
    int captured = captured_best(position->class, position->own, position->other), expected;
    Best best = {0, 0, 0};
    each_quiet(position->class, position->own, position->other, take_best, &best);
    if (captured == 1)
        expected = 2;
    else if (best.quickest_win)
        expected = 2 * (best.quickest_win + 1);
    else if (captured == 0)
        expected = LOOSE;
    else
        expected = best.draw ? DRAW : 2 * (best.slowest_loss + 1) + 1;
    if (expected != *position->code) ++*(uint64_t *)with;
}

int main(int argc, char **argv) {
    int verifying = argc > 1 && !strcmp(argv[1], "--verify");
    if (argc != 4 + verifying || atoi(argv[2 + verifying]) < 1 || atoi(argv[2 + verifying]) > MOST_PIECES) {
        fprintf(stderr, "usage: solve [--verify] hexagon|square MOST DIRECTORY\n");
        return 2;
    }
    board = argv[1 + verifying];
    int most = atoi(argv[2 + verifying]);
    directory = argv[3 + verifying];
    make_board();
    for (int n = 0; n <= cells; n++)
        for (int k = 0; k <= MOST_PIECES + 1; k++)
            choose[n][k] = k == 0 ? 1 : n == 0 ? 0 : choose[n - 1][k - 1] + choose[n - 1][k];
    for (int pieces = 0; pieces <= most; pieces++) {
        make_rows(pieces);
        if (!verifying) write_rows(pieces);
    }
    for (int a = 0; a <= most; a++)
        for (int r = 0; r + a <= most; r++)
            for (int b = 0; b <= most; b++)
                for (int q = 0; q + b <= most; q++)
                    classes[a][r][b][q] =
                        (Class){a, r, b, q, r ? 1 : size + 1 - a, row_count[a], choose[cells - a][b], NULL};
    uint64_t wrong = 0;
    for (int total = 2; total <= 2 * most; total++)
        for (int own = larger(1, total - most); 2 * own <= total; own++) {
            if (own == 1 && total - own == size) continue; /* won already (rules, End: reduced to one) */
            if (verifying) {
                each_class_of(own, total - own, read_class, NULL);
                go_over(own, total - own, verify, &wrong);
            } else {
                solve(own, total - own);
                go_over(own, total - own, settle, NULL);
                each_class_of(own, total - own, write_class, NULL);
            }
        }
    if (verifying) printf("{\"wrong\": %llu}\n", (unsigned long long)wrong);
    return wrong != 0;
}
