import { useQueryClient } from "@tanstack/react-query"
import { Effect, Option, Stream } from "effect"
import { useState } from "react"
import type { ChangeSet, OperationResult } from "../../../domain/changeSets/ChangeSet.ts"
import type { FileSettings } from "../../../domain/imports/ImportFiles.ts"
import { MAX_LIMIT } from "../../../domain/Page.ts"
import type { Client, StoreId } from "../../../rpc/Client.ts"
import { callService } from "../../shared/data/service.ts"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { cancelSet, follow, undoSet } from "../changes/changeSetCalls.ts"
import { startImport } from "./importFile.ts"
import { importTexts } from "./importTexts.ts"

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
