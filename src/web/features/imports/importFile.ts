import { useQueryClient } from "@tanstack/react-query"
import { Effect, Option, Schema, Stream } from "effect"
import { useState } from "react"
import { MAX_LIMIT } from "../../../domain/Page.ts"
import { ChangeSet, type OperationResult } from "../../../domain/changeSets/ChangeSet.ts"
import { findCsvKind, quoteText } from "../../../domain/imports/Csv.ts"
import { DataKind } from "../../../domain/imports/DataKind.ts"
import {
  FileColumns,
  type FileFormat,
  type FileReading,
  type FileSettings
} from "../../../domain/imports/ImportFiles.ts"
import type { Client, StoreId } from "../../../rpc/Client.ts"
import { FileRejected, rejectionOf } from "../../shared/data/fileRejection.ts"
import { callService } from "../../shared/data/service.ts"
import { whileSignedIn } from "../../shared/data/session.ts"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { cancelSet, follow, undoSet } from "../changes/changeSetCalls.ts"
import { importTexts } from "./importTexts.ts"

/** Maximum bytes of a file, equal to the limit of the service. */
export const MAX_FILE = 64 * 1024 * 1024

/** Bytes of a file from which its columns are read. */
const BEGINNING = 1024 * 1024

const LINE_FEED = 0x0a

const decodeSet = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ data: ChangeSet })))
const decodeColumns = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ data: FileColumns })))

/** Sends bytes in gzip, because a request must be complete within 30 s. */
const send = async (path: string, query: object, bytes: Blob): Promise<string> => {
  const packed = await new Response(bytes.stream().pipeThrough(new CompressionStream("gzip"))).blob()
  const response = await fetch(`/rpc/${path}?import=${encodeURIComponent(JSON.stringify(query))}`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream", "content-encoding": "gzip" },
    body: packed
  }).catch((error: unknown) => {
    throw new FileRejected("RpcClientError", String(error))
  })
  const text = await response.text()
  if (response.ok) return text
  throw rejectionOf(response.status, text)
}

/** Starts an import, or a dry run of it. */
const startImport = async (storeId: StoreId, settings: FileSettings, dryRun: boolean, file: Blob): Promise<ChangeSet> =>
  decodeSet(await whileSignedIn(() => send("imports", { storeId, dryRun, settings }, file))).data

/** Reads the columns of a CSV file from its beginning, up to the end of a line. */
export const readColumns = async (
  file: Blob,
  reading: Pick<FileReading, "encoding" | "delimiter">
): Promise<FileColumns> => {
  const isWhole = file.size <= BEGINNING
  const bytes = new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer())
  const beginning = isWhole ? file : new Blob([bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1)])
  return decodeColumns(await whileSignedIn(() => send("imports/columns", reading, beginning))).data
}

/** Finds the format of a file by its name, or by its beginning, and its kind by the names of its columns. */
export const detectFile = (
  name: string,
  beginning: string
): { readonly format: FileFormat; readonly kind: DataKind | undefined } => {
  const kind = DataKind.literals.find((one) => name.toLowerCase().includes(one))
  if (/\.(?:jsonl|ndjson|json)$/i.test(name)) return { format: "jsonl", kind }
  if (!/\.csv$/i.test(name) && beginning.trimStart().startsWith("{")) return { format: "jsonl", kind }
  // UTF-16 read as UTF-8 has a NUL after each letter.
  const text = beginning.replaceAll("\0", "").replace(/^[^A-Za-z]*sep=.\r?\n?/i, "")
  const [header = ""] = text.split(/[\r\n]/)
  const ofExport = findCsvKind(header.split(/[,;\t]/).map((cell) => cell.replace(/^[^A-Za-z]+|[^A-Za-z]+$/g, "")))
  return Option.match(ofExport, {
    onNone: () => ({ format: "shopify", kind }),
    onSome: (kind) => ({ format: "csv", kind })
  })
}

/** Writes refused rows as CSV: line, id in the file and reason. */
export const refusedCsv = (rows: ReadonlyArray<OperationResult>): string =>
  [
    "line,externalId,reason",
    ...rows.map(({ error, externalId, issues, line }) =>
      [String(line ?? ""), quoteText(externalId ?? ""), quoteText(issues?.join("; ") ?? error ?? "")].join(",")
    )
  ].join("\r\n")

/** Run of an import: its check, or the import itself. */
export interface ImportRun {
  readonly mode: "check" | "import"
  readonly isRunning: boolean
  /** Undefined while the file is sent. */
  readonly set: ChangeSet | undefined
  /** The first refused rows. */
  readonly refused: ReadonlyArray<OperationResult>
  readonly isUndone: boolean
  readonly error: unknown
}

const NEW_RUN = { isRunning: true, set: undefined, refused: [], isUndone: false, error: undefined }

type SetId = ChangeSet["id"]

const readRefused = (client: Client, storeId: StoreId, id: SetId, cursor?: string) =>
  client.changeSets.results({ storeId, id, outcome: "refused", limit: MAX_LIMIT, ...(cursor && { cursor }) })

/** Reads all refused rows of an import. */
export const listRefused = (storeId: StoreId, id: SetId): Promise<ReadonlyArray<OperationResult>> =>
  callService((client) =>
    Stream.runCollect(
      Stream.paginate(undefined, (cursor: string | undefined) =>
        Effect.map(readRefused(client, storeId, id, cursor), ({ items, nextCursor }) => [
          items,
          Option.fromNullishOr(nextCursor)
        ])
      )
    )
  )

/** Checks and imports a file, and undoes its import. */
export const useImport = (storeId: StoreId) => {
  const queryClient = useQueryClient()
  const [run, setRun] = useState<ImportRun>()
  const update = (next: Partial<ImportRun>) => setRun((before) => before && { ...before, ...next })

  const start = async (mode: ImportRun["mode"], settings: FileSettings, file: Blob) => {
    setRun({ ...NEW_RUN, mode })
    try {
      const created = await startImport(storeId, settings, mode === "check", file)
      update({ set: created })
      await callService((client) =>
        Effect.gen(function* () {
          const set = yield* follow(client, storeId, created.id, (set) => update({ set }))
          const { items } = yield* readRefused(client, storeId, created.id)
          update({ isRunning: false, set, refused: items })
        })
      )
    } catch (error) {
      update({ isRunning: false, error })
    }
    if (mode === "import") void queryClient.invalidateQueries({ queryKey: [storeId] })
  }

  const undo = async ({ id }: ChangeSet) => {
    update({ isRunning: true })
    try {
      const { counts } = await undoSet(storeId, id)
      toast(importTexts.undone(counts.changed, counts.refused))
      update({ isRunning: false, isUndone: true })
      void queryClient.invalidateQueries({ queryKey: [storeId] })
    } catch (error) {
      update({ isRunning: false, error })
    }
  }

  /** Stops a running import. Its rows so far stay, and can be undone. */
  const stop = ({ id }: ChangeSet) =>
    // A set that has ended meanwhile needs no cancellation.
    cancelSet(storeId, id).catch(() => undefined)

  return { run, start, undo, stop, reset: () => setRun(undefined) }
}
