import { Effect } from "effect"
import type { RequestListener, ServerResponse } from "node:http"
import sharp from "sharp"
import { waitUntil } from "../process/Process.ts"
import { publicServer } from "../webhooks/Internet.ts"

/** A small picture. Each `red` has other bytes. */
export const picture = (red: number) =>
  Effect.promise(() =>
    sharp({ create: { width: 8, height: 6, channels: 3, background: { r: red, g: 30, b: 40 } } })
      .png()
      .toBuffer()
  )

/** Sends zeros until the client closes the connection. */
const sendEndlessly: RequestListener = (_, response) => {
  // Large chunks reach the limit of 20 MiB on a busy machine, too, before the time for a response ends.
  const chunk = Buffer.alloc(2 * 1024 * 1024)
  const send = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once("drain", send)
  }
  response.writeHead(200, { "content-type": "image/png" })
  send()
}

/**
 * A host on the internet of `InternetHere`. Paths end with what it does: `<red>.png` is a picture, and `missing`,
 * `private`, `loop`, `moved/<path>`, `endless`, `hang`, `text` and `empty` are no pictures.
 */
export const pictureHost = Effect.gen(function* () {
  const pictures = yield* Effect.forEach(Array.from({ length: 16 }), (_, red) => picture(red))
  const hanging: Array<ServerResponse> = []
  const host = yield* publicServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? ""
    const redirect = (location: string) => response.writeHead(302, { location }).end()
    const red = /(\d+)\.png$/.exec(path)?.[1]
    if (path.startsWith("/moved/")) redirect(path.slice("/moved".length))
    else if (red !== undefined) response.writeHead(200, { "content-type": "text/plain" }).end(pictures[Number(red)])
    else if (path.endsWith("/private")) redirect("https://10.0.0.1/secret.png")
    else if (path.endsWith("/local")) redirect("http://localhost:1/secret.png")
    else if (path.endsWith("/loop")) redirect(path)
    else if (path.endsWith("/endless")) sendEndlessly(request, response)
    else if (path.endsWith("/text")) response.writeHead(200, { "content-type": "image/png" }).end("no picture")
    else if (path.endsWith("/empty")) response.writeHead(200).end()
    else if (path.endsWith("/hang")) hanging.push(response)
    else response.writeHead(404).end("not here")
  })
  return {
    ...host,
    /** Waits for the first `n` requests to `hang` and closes their connections. */
    hangUp: (n: number) =>
      waitUntil(
        Effect.sync(() => hanging.length),
        (length) => length >= n
      ).pipe(Effect.andThen(Effect.sync(() => hanging.forEach((response) => response.destroy()))))
  }
})
