import { useMutation } from "@tanstack/react-query"
import { Effect, Option, Schedule, Stream } from "effect"
import { useState } from "react"
import type { ExportContent, ExportFormat } from "../../../domain/exports/Export.ts"
import type { StoreId } from "../../../rpc/Client.ts"
import { newIdempotencyKey } from "./queries.ts"
import { callService } from "./service.ts"

const POLL = "1 second"

const TYPES: Record<ExportFormat, string> = { csv: "text/csv", jsonl: "application/x-ndjson" }

/** Lets the browser save a file. */
export const saveFile = (name: string, parts: ReadonlyArray<string>, type: string): void => {
  const url = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Exports rows, reads the file part by part and deletes the export. Returns the parts, or none if it failed. */
const readExport = (storeId: StoreId, content: ExportContent, onExported: (rows: number) => void) =>
  callService((client) =>
    Effect.acquireUseRelease(
      client.exports.create({ storeId, idempotencyKey: newIdempotencyKey(), ...content }),
      Effect.fnUntraced(function* ({ id }) {
        const { state } = yield* client.exports.get({ storeId, id }).pipe(
          Effect.tap(({ exported }) => Effect.sync(() => onExported(exported))),
          Effect.repeat({ until: ({ state }) => state !== "running", schedule: Schedule.spaced(POLL) })
        )
        if (state !== "finished") return Option.none()
        const parts = yield* Stream.runCollect(
          Stream.paginate(0, (part: number) =>
            Effect.map(client.exports.read({ storeId, id, part }), ({ lines, nextPart }) => [
              [lines],
              Option.fromNullishOr(nextPart)
            ])
          )
        )
        return Option.some(parts)
      }),
      ({ id }) => Effect.ignore(client.exports.delete({ storeId, id }))
    )
  )

/** Export that the browser saves as a file. */
export const useExport = (storeId: StoreId) => {
  const [exported, setExported] = useState(0)
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: (content: ExportContent) => readExport(storeId, content, setExported),
    onSuccess: (file, { format = "jsonl", kind }) => {
      if (Option.isSome(file)) saveFile(`${kind}.${format}`, file.value, TYPES[format])
    }
  })
  return {
    start: (content: ExportContent) => {
      setExported(0)
      mutate(content)
    },
    reset,
    error,
    exported,
    isRunning: isPending,
    isDone: data !== undefined && Option.isSome(data),
    isFailed: data !== undefined && Option.isNone(data)
  }
}
