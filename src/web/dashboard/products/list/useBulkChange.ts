import { useQueryClient } from "@tanstack/react-query"
import { Effect, Option, Schedule, Stream } from "effect"
import { useCallback, useEffect, useRef, useState } from "react"
import type { ChangeSet, OperationResult } from "../../../../domain/changeSets/ChangeSet.ts"
import type { Edit } from "../../../../domain/changeSets/Edit.ts"
import type { Client, ProductId, StoreId } from "../../../../rpc/Client.ts"
import { errorMessageOf, isTransient } from "../../../data/errorMessages.ts"
import { newIdempotencyKey } from "../../../data/queries.ts"
import { callService } from "../../../data/service.ts"
import { toast } from "../../../ui/display/Toasts.tsx"
import { productTexts } from "../productTexts.ts"
import type { Row } from "./listView.ts"

const PAGE_SIZE = 200

/** Bulk edit of selected products, as a change set. */
export interface BulkChange {
  readonly rows: ReadonlyArray<Row>
  readonly edit: Edit
  readonly step: "previewing" | "ready" | "applying" | "ended"
  /** Undefined until the set is created. */
  readonly set: ChangeSet | undefined
  readonly refused: ReadonlyArray<OperationResult>
  /** Number of products that the application changed. */
  readonly changed: number
  /** Products that stay selected. */
  readonly left: ReadonlySet<ProductId>
  readonly isCanceling: boolean
  readonly error: unknown
}

type SetId = ChangeSet["id"]

/** Repeats a write with the same key after transient errors. */
const retried = Effect.retry({ times: 3, while: isTransient, schedule: Schedule.exponential("500 millis") })

const keyed = (storeId: StoreId) => ({ storeId, idempotencyKey: newIdempotencyKey() })

/** Follows a set until no job works on it. */
const follow = (client: Client, storeId: StoreId, id: SetId, onSet: (set: ChangeSet) => void = () => {}) =>
  client.changeSets.follow({ storeId, id }).pipe(
    Stream.tap((set) => Effect.sync(() => onSet(set))),
    Stream.runLast,
    Effect.map(Option.getOrThrow)
  )

const listResults = Effect.fnUntraced(function* (
  client: Client,
  storeId: StoreId,
  id: SetId,
  filter: { readonly outcome?: "refused" }
) {
  const results: Array<OperationResult> = []
  let next: { readonly cursor?: string } | undefined = {}
  while (next !== undefined) {
    const page: { readonly items: ReadonlyArray<OperationResult>; readonly nextCursor: string | null } =
      yield* client.changeSets.results({ storeId, id, limit: PAGE_SIZE, ...filter, ...next })
    results.push(...page.items)
    next = page.nextCursor === null ? undefined : { cursor: page.nextCursor }
  }
  return results
})

const listRefused = (client: Client, storeId: StoreId, { counts, id }: ChangeSet) =>
  counts.refused === 0 ? Effect.succeed([]) : listResults(client, storeId, id, { outcome: "refused" })

/** Undoes a set by another one. */
const undoSet = (storeId: StoreId, id: SetId) =>
  callService((client) =>
    Effect.gen(function* () {
      const undo = yield* retried(client.changeSets.undo({ ...keyed(storeId), id }))
      yield* follow(client, storeId, undo.id)
      yield* retried(client.changeSets.apply({ ...keyed(storeId), id: undo.id }))
      return yield* follow(client, storeId, undo.id)
    })
  ).then(
    ({ counts }) => toast(productTexts.bulkEdit.undone(counts.changed, counts.refused)),
    (error: unknown) => toast(productTexts.bulkEdit.undoFailed(errorMessageOf(error).advice))
  )

const offerUndo = (storeId: StoreId, id: SetId, changed: number) => {
  if (changed === 0) return
  toast(productTexts.bulkEdit.changed(changed), {
    name: productTexts.bulkEdit.undo,
    run: () => void undoSet(storeId, id)
  })
}

const cancelSet = (storeId: StoreId, id: SetId) =>
  callService((client) => client.changeSets.cancel({ ...keyed(storeId), id }))

/**
 * Edits many products by one change set: previews it, applies it and offers the undo. A set that is not applied is canceled
 * when the dialog or the page is closed. An application continues without the page.
 */
export const useBulkChange = (storeId: StoreId, onClose: (left: ReadonlySet<ProductId>) => void) => {
  const queryClient = useQueryClient()
  const [bulk, setBulk] = useState<BulkChange>()
  /** Set that is canceled when the page is left. */
  const unapplied = useRef<SetId>(undefined)
  const isOpen = useRef(false)

  const update = (next: Partial<BulkChange>) => setBulk((before) => before && { ...before, ...next })

  const cancelUnapplied = useCallback(() => {
    isOpen.current = false
    const id = unapplied.current
    unapplied.current = undefined
    if (id !== undefined) void cancelSet(storeId, id).catch(() => undefined)
  }, [storeId])
  useEffect(() => cancelUnapplied, [cancelUnapplied])

  const close = (left: ReadonlySet<ProductId>) => {
    cancelUnapplied()
    setBulk(undefined)
    onClose(left)
  }

  const preview = (rows: ReadonlyArray<Row>, edit: Edit) => {
    const ids = rows.map(({ id }) => id)
    isOpen.current = true
    setBulk({
      rows,
      edit,
      step: "previewing",
      set: undefined,
      refused: [],
      changed: 0,
      left: new Set(ids),
      isCanceling: false,
      error: undefined
    })
    const previewed = callService((client) =>
      Effect.gen(function* () {
        const created = yield* retried(
          client.changeSets.create({ ...keyed(storeId), mode: "each", where: { ids }, change: edit })
        )
        unapplied.current = created.id
        // The dialog may be closed already.
        if (!isOpen.current) return cancelUnapplied()
        const set = yield* follow(client, storeId, created.id, (set) => update({ set }))
        const refused = yield* listRefused(client, storeId, set)
        if (set.state !== "ready") unapplied.current = undefined
        update({ step: set.state === "ready" ? "ready" : "ended", refused })
      })
    )
    void previewed.catch((error: unknown) => update({ step: "ended", error }))
  }

  const apply = ({ id }: ChangeSet) => {
    unapplied.current = undefined
    update({ step: "applying" })
    const applied = callService((client) =>
      Effect.gen(function* () {
        yield* retried(client.changeSets.apply({ ...keyed(storeId), id }))
        const set = yield* follow(client, storeId, id, (set) => update({ set }))
        const isWhole = set.state === "applied"
        const results = isWhole ? [] : yield* listResults(client, storeId, id, {})
        const refused = isWhole
          ? yield* listRefused(client, storeId, set)
          : results.filter(({ outcome }) => outcome === "refused")
        // The counts of a set that ended early include the rest of its preview.
        const changed = isWhole
          ? set.counts.changed
          : results.filter(({ isApplied, outcome }) => isApplied && outcome !== "refused").length
        const waiting = results.filter(({ isApplied, outcome }) => !isApplied && outcome !== "unchanged")
        const leftIds = new Set([...refused, ...waiting].map((one) => one.id))
        const left = new Set(bulk?.rows.flatMap((row) => (leftIds.has(row.id) ? [row.id] : [])))
        void queryClient.invalidateQueries({ queryKey: [storeId, "products"] })
        const isClean = isWhole && refused.length === 0
        if (isClean || !isOpen.current) offerUndo(storeId, id, changed)
        if (isClean && isOpen.current) close(left)
        else update({ step: "ended", set, refused, changed, left })
      })
    )
    void applied.catch((error: unknown) => update({ step: "ended", error }))
  }

  const cancel = ({ id }: ChangeSet) => {
    update({ isCanceling: true })
    // A set that has ended meanwhile needs no cancellation.
    void cancelSet(storeId, id).catch(() => update({ isCanceling: false }))
  }

  return {
    bulk,
    preview,
    apply,
    cancel,
    /** Closes the dialog. After an application it offers the undo. */
    close: () => {
      if (bulk?.set !== undefined) offerUndo(storeId, bulk.set.id, bulk.changed)
      close(bulk?.left ?? new Set())
    }
  }
}
