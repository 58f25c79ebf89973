import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { Effect } from "effect"
import { useCallback, useEffect, useRef, useState } from "react"
import {
  type ChangeSet,
  MAX_SELECTED_IDS,
  type OperationResult,
  type Selection
} from "../../../../domain/changeSets/ChangeSet.ts"
import type { Edit } from "../../../../domain/changeSets/Edit.ts"
import type { QueryCursor } from "../../../../domain/Query.ts"
import { type Client, ProductId, type StoreId } from "../../../../rpc/Client.ts"
import { errorMessageOf } from "../../../shared/data/errorMessages.ts"
import { callService } from "../../../shared/data/service.ts"
import { toast } from "../../../shared/ui/display/Toasts.tsx"
import { cancelSet, follow, keyed, retried, undoSet } from "../../changes/changeSetCalls.ts"
import { isFinished, unfinishedKey } from "../../changes/useChangeSets.ts"
import { type Row, type View, PAGE_SIZE } from "./listView.ts"
import { productListTexts } from "./productListTexts.ts"

/** Products of a bulk edit. */
export interface BulkTarget {
  /** Undefined if the matches are too many to count. */
  readonly count: number | undefined
  /** Those of them that are loaded. */
  readonly rows: ReadonlyArray<Row>
  /** Selected products. Undefined if all matches of a view are selected. */
  readonly ids?: ReadonlyArray<ProductId>
  readonly all?: View
}

/** Bulk edit of selected products, as a change set. */
export interface BulkChange {
  readonly target: BulkTarget
  readonly edit: Edit
  readonly step: "previewing" | "ready" | "applying" | "ended"
  /** Undefined until the set is created. */
  readonly set: ChangeSet | undefined
  readonly refused: ReadonlyArray<OperationResult>
  /** Number of products that the application changed. */
  readonly changed: number
  /** Products that stay selected. Undefined before the application, which leaves the selection as it is. */
  readonly left: ReadonlySet<ProductId> | undefined
  readonly isCanceling: boolean
  readonly error: unknown
}

type SetId = ChangeSet["id"]

const listResults = Effect.fnUntraced(function* (
  client: Client,
  storeId: StoreId,
  id: SetId,
  filter: { readonly outcome?: "refused" }
) {
  const results: Array<OperationResult> = []
  let next: { readonly cursor?: string } | undefined = {}
  // More cannot stay selected.
  while (next !== undefined && (filter.outcome === undefined || results.length < MAX_SELECTED_IDS)) {
    const page: { readonly items: ReadonlyArray<OperationResult>; readonly nextCursor: string | null } =
      yield* client.changeSets.results({ storeId, id, limit: PAGE_SIZE, ...filter, ...next })
    results.push(...page.items)
    next = page.nextCursor === null ? undefined : { cursor: page.nextCursor }
  }
  return results
})

/** Collects the ids of all matches of a view, as many as a change set takes. */
const collectIds = Effect.fnUntraced(function* (client: Client, storeId: StoreId, view: View) {
  const ids: Array<ProductId> = []
  let next: { readonly cursor?: QueryCursor } | undefined = {}
  while (next !== undefined && ids.length < MAX_SELECTED_IDS) {
    const page: { readonly items: ReadonlyArray<Row>; readonly nextCursor: QueryCursor | null } =
      yield* client.products.query({ storeId, ...view, limit: PAGE_SIZE, ...next })
    ids.push(...page.items.map(({ id }) => id))
    next = page.nextCursor === null ? undefined : { cursor: page.nextCursor }
  }
  return ids.slice(0, MAX_SELECTED_IDS)
})

/** Selection of a change set. Rules are evaluated by the service; a search is not part of their language. */
const whereOf = (
  client: Client,
  storeId: StoreId,
  { all = {}, ids }: BulkTarget
): Effect.Effect<Selection, unknown> => {
  if (ids !== undefined) return Effect.succeed({ ids })
  const { disjunctive = false, rules = [], search } = all
  return search === undefined
    ? Effect.succeed({ rules, disjunctive })
    : Effect.map(collectIds(client, storeId, all), (ids) => ({ ids }))
}

const listRefused = (client: Client, storeId: StoreId, { counts, id }: ChangeSet) =>
  counts.refused === 0 ? Effect.succeed([]) : listResults(client, storeId, id, { outcome: "refused" })

/** Noun of the rows of an edit. */
export const nounOf = ({ collections }: Edit) => (collections === undefined ? "product" : "collection")

/** Undoes a set, and says how it ended. */
const undoWithToast = (storeId: StoreId, id: SetId, noun: "product" | "collection") =>
  undoSet(storeId, id).then(
    ({ counts }) => toast(productListTexts.bulk.undone(counts.changed, noun, counts.refused)),
    (error: unknown) => toast(productListTexts.bulk.undoFailed(errorMessageOf(error).advice))
  )

/**
 * Edits many products by one change set: previews it, applies it and offers the undo. A set that is not applied is canceled
 * when the dialog or the page is closed. An application continues without the page.
 */
export const useBulkChange = (storeId: StoreId, onClose: (left: ReadonlySet<ProductId> | undefined) => void) => {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [bulk, setBulk] = useState<BulkChange>()
  /** Set that is canceled when the page is left. */
  const unapplied = useRef<SetId>(undefined)
  const isOpen = useRef(false)

  const update = (next: Partial<BulkChange>) => setBulk((before) => before && { ...before, ...next })

  const viewAction = (id: SetId) => ({
    name: productListTexts.bulk.view,
    run: () => void navigate({ to: "/dashboard/$storeId/changes/$changeSetId", params: { storeId, changeSetId: id } })
  })

  /** Says how an application ended, and offers its undo. */
  const report = (id: SetId, edit: Edit, changed: number, refused: number) => {
    const noun = nounOf(edit)
    const text = productListTexts.bulk.changed(changed, noun, refused)
    if (changed === 0) return toast(text, viewAction(id))
    const undo = { name: productListTexts.bulk.undo, run: () => void undoWithToast(storeId, id, noun) }
    toast(text, undo, viewAction(id))
  }

  /** Shows the progress of a set beside the dialog, too, without another request. */
  const showProgress = (set: ChangeSet) => {
    update({ set })
    queryClient.setQueryData<{ readonly items: ReadonlyArray<ChangeSet> }>(
      unfinishedKey(storeId),
      (page) =>
        page && {
          ...page,
          items: page.items.flatMap((one) => (one.id !== set.id ? [one] : isFinished(set) ? [] : [set]))
        }
    )
  }

  const cancelUnapplied = useCallback(() => {
    isOpen.current = false
    const id = unapplied.current
    unapplied.current = undefined
    if (id !== undefined) void cancelSet(storeId, id).catch(() => undefined)
  }, [storeId])
  useEffect(() => cancelUnapplied, [cancelUnapplied])

  const close = (left: ReadonlySet<ProductId> | undefined) => {
    cancelUnapplied()
    setBulk(undefined)
    onClose(left)
  }

  const preview = (target: BulkTarget, edit: Edit) => {
    isOpen.current = true
    setBulk({
      target,
      edit,
      step: "previewing",
      set: undefined,
      refused: [],
      changed: 0,
      left: undefined,
      isCanceling: false,
      error: undefined
    })
    const previewed = callService((client) =>
      Effect.gen(function* () {
        const where = yield* whereOf(client, storeId, target)
        const created = yield* retried(
          client.changeSets.create({ ...keyed(storeId), mode: "each", where, change: edit })
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

  const apply = ({ id }: ChangeSet, edit: Edit) => {
    unapplied.current = undefined
    update({ step: "applying" })
    const applied = callService((client) =>
      Effect.gen(function* () {
        yield* retried(client.changeSets.apply({ ...keyed(storeId), id }))
        void queryClient.invalidateQueries({ queryKey: [storeId, "changeSets"] })
        const set = yield* follow(client, storeId, id, showProgress)
        void queryClient.invalidateQueries({ queryKey: [storeId, "changeSets"] })
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
        // The products stay selected unless all collections have them.
        const rest = new Set([...refused, ...waiting].flatMap(({ id }) => (id === null ? [] : [ProductId.make(id)])))
        void queryClient.invalidateQueries({ queryKey: [storeId, "products"] })
        const isClean = isWhole && refused.length === 0
        const left = edit.collections === undefined || isClean ? rest : undefined
        if (isClean || !isOpen.current) report(id, edit, changed, refused.length)
        if (isClean && isOpen.current) close(left)
        else update({ step: "ended", set, refused, changed, left })
      })
    )
    void applied.catch((error: unknown) => {
      update({ step: "ended", error })
      if (!isOpen.current) toast(productListTexts.bulk.failed(errorMessageOf(error).advice), viewAction(id))
    })
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
    /** Closes the dialog. Says that an application continues, or how it ended. */
    close: () => {
      if (bulk?.set !== undefined && bulk.step === "applying") {
        const { edit, set } = bulk
        toast(productListTexts.bulk.started(set.counts.total, nounOf(edit)), viewAction(set.id))
      }
      if (bulk?.set !== undefined && bulk.step === "ended" && bulk.changed > 0) {
        report(bulk.set.id, bulk.edit, bulk.changed, bulk.refused.length)
      }
      close(bulk?.left)
    }
  }
}
