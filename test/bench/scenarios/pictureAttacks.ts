import { Effect } from "effect"
import sharp from "sharp"
import { range, sendConcurrently, sendPicture } from "./attackRequests.ts"

/** A picture of 48 megapixels that does not compress well: 9 MB. */
const makePicture = Effect.promise(() =>
  sharp({
    create: {
      width: 8000,
      height: 6000,
      channels: 3,
      background: "white",
      noise: { type: "gaussian", mean: 128, sigma: 20 }
    }
  })
    .jpeg({ quality: 60 })
    .toBuffer()
)

/** An AVIF of 49 megapixels in 10 KB. */
const makeExpensivePicture = Effect.promise(() =>
  sharp({ create: { width: 7000, height: 7000, channels: 3, background: "#336699" } })
    .avif({ quality: 30, effort: 0 })
    .toBuffer()
)

const makeSmallPicture = Effect.promise(() =>
  sharp({ create: { width: 64, height: 64, channels: 3, background: "#336699" } })
    .png()
    .toBuffer()
)

/** Uploads small pictures of another store one after the other. Returns their statuses and their longest time. */
const uploadSmall = Effect.fnUntraced(function* (port: number, count: number) {
  const small = yield* makeSmallPicture
  let longest = 0
  const statuses = yield* Effect.forEach(range(count), (n) =>
    Effect.gen(function* () {
      yield* Effect.sleep("500 millis")
      const startedAt = Date.now()
      const status = yield* sendPicture(port, "vast", n, small)
      longest = Math.max(longest, Date.now() - startedAt)
      return status
    })
  )
  return `small pictures of another store: ${statuses.join(", ")}, at most ${longest} ms`
})

/** Uploads of pictures that take long to decode. */
export const pictureAttacks = (port: number) => [
  {
    title: "40 uploads at once of pictures of 48 megapixels",
    run: Effect.flatMap(makePicture, (picture) => sendConcurrently(40, (n) => sendPicture(port, "deep", n, picture)))
  },
  {
    title: "72 uploads of AVIFs of 49 megapixels, 24 at once",
    run: Effect.flatMap(makeExpensivePicture, (picture) =>
      Effect.zipWith(
        sendConcurrently(72, (n) => sendPicture(port, "deep", n, picture), 24),
        uploadSmall(port, 12),
        (expensive, small) => `${expensive}; ${small}`,
        { concurrent: true }
      )
    )
  }
]
