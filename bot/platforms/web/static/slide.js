// Animates moved pieces over the earlier picture, unless the reader prefers reduced motion.

const STEP_MS = 260;

/** Return the paths of pieces: consecutive steps form one path. */
function joinSteps(steps, spots) {
  const found = [];
  for (const [from, to] of steps) {
    if (!(from in spots) || !(to in spots)) continue;
    const last = found.at(-1);
    if (last?.at(-1) === from) last.push(to);
    else found.push([from, to]);
  }
  return found;
}

function drawPiece(pen, image, [fromX, fromY, radius], [x, y]) {
  const size = radius * 2;
  pen.save();
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.clip();
  pen.drawImage(image, fromX - radius, fromY - radius, size, size, x - radius, y - radius, size, size);
  pen.restore();
}

/** Slide the moved pieces over the old picture; resolves when the new picture can replace it. */
export async function slide(root, before, after, steps) {
  const { picture, image } = after;
  const old = before.picture;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden) return;
  if (!old || old.width !== picture.width || old.height !== picture.height || !image.naturalWidth) return;
  const paths = joinSteps(steps, picture.spots);
  const figure = root.querySelector(".board");
  if (!paths.length || !figure) return;
  const canvas = document.createElement("canvas");
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.className = "slide";
  canvas.setAttribute("aria-hidden", "true");
  figure.append(canvas);
  const pen = canvas.getContext("2d");
  const long = STEP_MS * Math.min(3, Math.max(...paths.map((path) => path.length - 1)));
  const began = performance.now();
  await new Promise((resolve) => {
    const frame = (now) => {
      const part = Math.min(1, (now - began) / long);
      const eased = part * part * (3 - 2 * part);
      pen.clearRect(0, 0, canvas.width, canvas.height);
      for (const path of paths) drawPiece(pen, image, picture.spots[path[0]], picture.spots[path[0]]);
      for (const path of paths) {
        const along = eased * (path.length - 1);
        const at = Math.min(path.length - 2, Math.floor(along));
        const [one, two] = [picture.spots[path[at]], picture.spots[path[at + 1]]];
        const rest = along - at;
        drawPiece(pen, image, picture.spots[path.at(-1)], [one[0] + (two[0] - one[0]) * rest, one[1] + (two[1] - one[1]) * rest]);
      }
      if (part < 1 && canvas.isConnected) requestAnimationFrame(frame);
      else resolve();
    };
    requestAnimationFrame(frame);
  });
}
