import { useQueryClient } from "@tanstack/react-query"
import { Effect, Result } from "effect"
import { useCallback, useEffect, useRef, useState } from "react"
import type { ProductId, StoreId } from "../../../rpc/Client.ts"
import { newIdempotencyKey } from "../../data/queries.ts"
import { errorMessageOf } from "../../data/errorMessages.ts"
import { callService } from "../../data/Service.ts"
import { type Change, doTo } from "./BulkEdits.ts"
import { runMany } from "./BulkRun.ts"
import type { Row } from "./ListView.ts"
import { dropProduct, keepProduct } from "./useProducts.ts"

export interface Failure {
  readonly row: Row
  readonly why: string
}

/** How far it is with many writes. */
export interface Progress {
  readonly rows: ReadonlyArray<Row>
  readonly done: ReadonlySet<ProductId>
  readonly failed: ReadonlyArray<Failure>
  /** Seconds until the service takes more. */
  readonly waits: number | undefined
  readonly isRunning: boolean
  readonly isStopping: boolean
}

const begun = (rows: ReadonlyArray<Row>): Progress => ({
  rows,
  done: new Set(),
  failed: [],
  waits: undefined,
  isRunning: true,
  isStopping: false
})

/** Does something to many products, one write each. It stops when its page is left. */
export const useBulk = (storeId: StoreId) => {
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

  const run = async (rows: ReadonlyArray<Row>, what: Change) => {
    stopped.current = false
    setProgress(begun(rows))
    await callService((client) =>
      runMany({
        items: rows,
        write: ({ id }) =>
          Effect.map(doTo(client, storeId, id, what, newIdempotencyKey()), (answer) =>
            "deleted" in answer ? dropProduct(queryClient, storeId, id) : keepProduct(queryClient, storeId, answer)
          ),
        told: ({ item, result }) =>
          change(({ done, failed }) =>
            Result.match(result, {
              onFailure: (error) => ({ failed: [...failed, { row: item, why: whyOf(error) }] }),
              onSuccess: () => ({ done: new Set([...done, item.id]) })
            })
          ),
        waiting: (waits) => change((before) => (before.waits === waits ? before : { waits })),
        isStopped: () => stopped.current
      })
    )
    change(() => ({ isRunning: false, waits: undefined }))
    await queryClient.invalidateQueries({ queryKey: [storeId, "products"] })
  }

  return { progress, run, stop, close: () => setProgress(undefined) }
}

const whyOf = (error: unknown) => {
  const { advice, title } = errorMessageOf(error)
  return `${title}: ${advice}`
}
