// Draws the pictures of the demo store from the SVG files beside them, because sizes are made of pixels:
// `node scripts/demo-pictures.mjs`.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import sharp from "sharp"

const folder = fileURLToPath(new URL("../src/layers/demo/pictures", import.meta.url))

for (const name of readdirSync(folder).filter((file) => file.endsWith(".svg"))) {
  await sharp(join(folder, name), { density: 480 })
    .resize(640, 640)
    .webp({ quality: 85, effort: 6 })
    .toFile(join(folder, name.replace(/svg$/, "webp")))
}
