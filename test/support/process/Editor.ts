import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const Message = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.optional(Schema.Unknown),
    method: Schema.optional(Schema.String),
    result: Schema.optionalKey(Schema.Unknown)
  })
)
const Hovered = Schema.Struct({ contents: Schema.Struct({ value: Schema.String }) })

const readMessage = Schema.decodeUnknownSync(Message)
const readHover = Schema.decodeUnknownSync(Hovered)

/** TypeScript's language server on a folder, for the tooltips that an editor shows. */
export const editor = Effect.fn(function* (folder: string) {
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const tsc = join(process.cwd(), "node_modules/typescript/bin/tsc")
      return spawn(process.execPath, [tsc, "--lsp", "--stdio"], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] })
    }),
    (server) => Effect.sync(() => server.stdin.end())
  )
  const answers = new Map<unknown, (result: unknown) => void>()
  let text = Buffer.alloc(0)
  let lastId = 0

  const send = (message: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }

  server.stdout.on("data", (chunk: Buffer) => {
    text = Buffer.concat([text, chunk])
    for (;;) {
      const head = text.indexOf("\r\n\r\n")
      const length = Number(/content-length: *(\d+)/i.exec(text.subarray(0, Math.max(head, 0)).toString())?.[1])
      if (head < 0 || text.length < head + 4 + length) return
      const { id, method, result } = readMessage(text.subarray(head + 4, head + 4 + length).toString())
      text = text.subarray(head + 4 + length)
      if (id === undefined) continue
      // Requests of the server to the editor get an empty result.
      if (method !== undefined) send({ id, result: null })
      else answers.get(id)?.(result)
    }
  })

  const ask = (method: string, params: object) =>
    Effect.callback<unknown>((resume) => {
      const id = ++lastId
      answers.set(id, (result) => resume(Effect.succeed(result)))
      send({ id, method, params })
    })

  yield* ask("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: { textDocument: { hover: { contentFormat: ["markdown"] } } }
  })
  send({ method: "initialized", params: {} })

  /** Returns the tooltip of the last word of `before`, at its first occurrence in the file. */
  const hover = Effect.fn(function* (file: string, before: string) {
    const path = join(folder, file)
    const uri = pathToFileURL(path).href
    const source = readFileSync(path, "utf8")
    send({
      method: "textDocument/didOpen",
      params: { textDocument: { uri, languageId: "typescript", version: 1, text: source } }
    })
    const lines = source.slice(0, source.indexOf(before) + before.length - 1).split("\n")
    const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 }
    const hovered = yield* ask("textDocument/hover", { textDocument: { uri }, position })
    send({ method: "textDocument/didClose", params: { textDocument: { uri } } })
    return readHover(hovered).contents.value
  })

  return { hover }
})
