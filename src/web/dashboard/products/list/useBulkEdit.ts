import { useQueryClient } from "@tanstack/react-query"
import { Effect, Result } from "effect"
import { useCallback, useEffect, useRef, useState } from "react"
import type { ProductId, StoreId } from "../../../../rpc/Client.ts"
import { newIdempotencyKey } from "../../../data/queries.ts"
import { errorMessageOf } from "../../../data/errorMessages.ts"
import { callService } from "../../../data/service.ts"
import { type Change, applyChange } from "./bulkEdits.ts"
import { runMany } from "./runMany.ts"
import type { Row } from "./listView.ts"
import { uncacheProduct, cacheProduct } from "./useProducts.ts"

export interface Failure {
  readonly row: Row
  readonly reason: string
}

/** Progress of a bulk edit. */
export interface Progress {
  readonly rows: ReadonlyArray<Row>
  readonly done: ReadonlySet<ProductId>
  readonly failed: ReadonlyArray<Failure>
  /** Seconds until the rate limit ends. */
  readonly waitSeconds: number | undefined
  readonly isRunning: boolean
  readonly isStopping: boolean
}

const startProgress = (rows: ReadonlyArray<Row>): Progress => ({
  rows,
  done: new Set(),
  failed: [],
  waitSeconds: undefined,
  isRunning: true,
  isStopping: false
})

/** Edits many products with one write each. Stops when the page is left. */
export const useBulkEdit = (storeId: StoreId) => {
  const queryClient = useQueryClient()
  const [progress, setProgress] = useState<Progress>()
  const stopped = useRef(false)

  const change = useCallback(
    (next: (before: Progress) => Partial<Progress>) =>
      setProgress((before) => before && { ...before, ...next(before) }),
    []
  )
  const stop = useCallback(() => {
    stopped.current = true
    change(() => ({ isStopping: true }))
  }, [change])
  useEffect(() => () => void (stopped.current = true), [])

  const run = async (rows: ReadonlyArray<Row>, edit: Change) => {
    stopped.current = false
    setProgress(startProgress(rows))
    await callService((client) =>
      runMany({
        items: rows,
        write: ({ id }) =>
          Effect.map(applyChange(client, storeId, id, edit, newIdempotencyKey()), (result) =>
            "deleted" in result ? uncacheProduct(queryClient, storeId, id) : cacheProduct(queryClient, storeId, result)
          ),
        onOutcome: ({ item, result }) =>
          change(({ done, failed }) =>
            Result.match(result, {
              onFailure: (error) => ({ failed: [...failed, { row: item, reason: failureText(error) }] }),
              onSuccess: () => ({ done: new Set([...done, item.id]) })
            })
          ),
        onWait: (seconds) => change((before) => (before.waitSeconds === seconds ? before : { waitSeconds: seconds })),
        isStopped: () => stopped.current
      })
    )
    change(() => ({ isRunning: false, waitSeconds: undefined }))
    await queryClient.invalidateQueries({ queryKey: [storeId, "products"] })
  }

  return { progress, run, stop, close: () => setProgress(undefined) }
}

const failureText = (error: unknown) => {
  const { advice, title } = errorMessageOf(error)
  return `${title}: ${advice}`
}
