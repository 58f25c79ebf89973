import { Effect, Schema, Stream } from "effect"
import { readFile } from "node:fs/promises"
import { Files } from "../../domain/media/Files.ts"
import { type WriteContext, Writes } from "../../domain/Write.ts"
import { DRAWINGS, PICTURES_ORIGIN } from "./shop.ts"

const decodeFile = Schema.decodeEffect(Schema.fromJsonString(Schema.Struct({ url: Schema.String })))

/** Beside this file, in `src` as in the bundle. */
const readPicture = (name: string) => Effect.promise(() => readFile(new URL(`./pictures/${name}`, import.meta.url)))

/** Stores the drawings as files. Returns a function that replaces their addresses in sample data by those of the files. */
export const createPictures = Effect.fnUntraced(
  function* (context: WriteContext, baseUrl: string) {
    const files = yield* Files
    const { perform } = yield* Writes
    const { storeId } = context
    const received = yield* Effect.forEach(
      Object.entries(DRAWINGS),
      Effect.fnUntraced(function* ([drawing, alt]) {
        const name = `${drawing}.webp`
        const bytes = yield* readPicture(name)
        return { details: { name, alt }, file: yield* files.receive(storeId, Stream.make(bytes)) }
      }),
      { concurrency: 4 }
    )
    const urls: Record<string, string> = {}
    for (const { details, file } of received) {
      yield* files.keep(storeId, file)
      const json = yield* perform(context, files.create(storeId, file, details, baseUrl))
      urls[`${PICTURES_ORIGIN}/${details.name}`] = (yield* decodeFile(json)).url
    }
    return urls
  },
  Effect.scoped,
  // The demo is also useful without pictures.
  Effect.catch((error) => Effect.as(Effect.logWarning("The demo store has no pictures", error), {})),
  Effect.map(
    (urls: Readonly<Record<string, string>>) =>
      (input: object): unknown =>
        JSON.parse(JSON.stringify(input), (_, value: unknown) =>
          typeof value === "string" ? (urls[value] ?? value) : value
        )
  )
)
