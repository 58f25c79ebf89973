// @ts-check
import { setPriority } from "node:os"
import sharp from "sharp"

/**
 * Process that decodes pictures for `ImageWorkers.ts`, one at a time. A hostile picture can crash it or exhaust its memory
 * without harm to the server, which a thread could not guarantee. JavaScript, because Node runs it without the bundler
 * in tests.
 */

/** Bytes of memory of the process. Twice what a picture of 50 megapixels with 16 bits a channel needs. */
const MAX_MEMORY = 1024 ** 3

/** Seconds of computation for one picture. Unlike time, they do not depend on how busy the machine is. */
const MAX_SECONDS = 10

const CHECK_MILLIS = 50

/** Edge of the picture of which the dominant colour is found. */
const SAMPLE = 64

/** Requests for pictures that exist come first. */
setPriority(10)
sharp.concurrency(1)
sharp.cache(false)

/** Computation when the current job began. */
let before = process.cpuUsage()

const findExceeded = () => {
  const { system, user } = process.cpuUsage(before)
  if (user + system > MAX_SECONDS * 1_000_000) return `It takes more than ${MAX_SECONDS} s`
  return process.memoryUsage.rss() > MAX_MEMORY ? "It needs more than 1 GiB of memory" : undefined
}

// The decoders have threads of their own, so this one is free while they run. They cannot be stopped, but killed.
setInterval(() => {
  const error = findExceeded()
  if (error !== undefined) process.send?.({ error }, () => process.kill(process.pid, "SIGKILL"))
}, CHECK_MILLIS)

/**
 * Decodes the first frame, with the orientation of its metadata applied.
 * @param {string} path
 * @param {number} maxPixels
 */
const decode = (path, maxPixels) =>
  sharp(path, { limitInputPixels: maxPixels, failOn: "error", pages: 1, sequentialRead: true }).autoOrient()

/**
 * Finds the mean of the most frequent group of similar colours, on white, and whether all pixels are opaque. `sharp`
 * returns the middle of the group, which is not white for white pictures.
 * @param {Uint8Array} pixels four bytes each
 */
const summarize = (pixels) => {
  /** @type {Map<number, { count: number, sum: [number, number, number] }>} */
  const groups = new Map()
  let isOpaque = true
  for (let index = 0; index < pixels.length; index += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 255] = pixels.subarray(index, index + 4)
    if (alpha < 255) isOpaque = false
    const onWhite = (/** @type {number} */ value) => 255 + ((value - 255) * alpha) / 255
    const [r, g, b] = [onWhite(red), onWhite(green), onWhite(blue)]
    const key = ((r >> 4) << 8) | ((g >> 4) << 4) | (b >> 4)
    const { count, sum } = groups.get(key) ?? { count: 0, sum: [0, 0, 0] }
    groups.set(key, { count: count + 1, sum: [sum[0] + r, sum[1] + g, sum[2] + b] })
  }
  const { count, sum } = [...groups.values()].reduce((most, group) => (group.count > most.count ? group : most))
  const color = `#${sum
    .map((value) =>
      Math.round(value / count)
        .toString(16)
        .padStart(2, "0")
    )
    .join("")}`
  return { isOpaque, color }
}

/**
 * Finds dominant colour and opacity. Decodes all pixels, so it also finds damage.
 * @param {string} path
 * @param {number} maxPixels
 */
const sample = async (path, maxPixels) => {
  const pixels = await decode(path, maxPixels)
    .resize({ width: SAMPLE, height: SAMPLE, fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb")
    .ensureAlpha()
    .raw()
    .toBuffer()
  return summarize(pixels)
}

/** @param {import("./ImageWorkers.ts").ImageJob} job */
const perform = async (job) => {
  if (job.task === "resize") {
    const { height, maxPixels, path, to, type, width } = job
    const resized = decode(path, maxPixels).resize({ width, height, fit: "inside", withoutEnlargement: true })
    // No metadata of the original is in the result. Colours are converted to sRGB.
    const encoded = {
      "image/avif": () => resized.avif({ quality: 50, effort: 2 }),
      "image/webp": () => resized.webp({ quality: 78 }),
      "image/jpeg": () => resized.flatten({ background: "#ffffff" }).jpeg({ quality: 80, progressive: true }),
      "image/png": () => resized.png({ compressionLevel: 9 })
    }[type]()
    const { size } = await encoded.toFile(to)
    return { bytes: size }
  }
  if (job.task === "sample") return await sample(job.path, job.maxPixels)
  const { autoOrient, format } = await sharp(job.path, { limitInputPixels: false }).metadata()
  return { format, width: autoOrient.width, height: autoOrient.height }
}

process.on("disconnect", () => process.exit())
process.on("message", (/** @type {import("./ImageWorkers.ts").ImageJob} */ job) => {
  before = process.cpuUsage()
  perform(job).then(
    (result) => process.send?.({ result }),
    (error) => process.send?.({ error: String(error) })
  )
})
