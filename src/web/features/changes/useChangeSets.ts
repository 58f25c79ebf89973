import { useNavigate } from "@tanstack/react-router"
import type { ChangeSet, ChangeSetState, OnConflict } from "../../../domain/changeSets/ChangeSet.ts"
import type { StoreId } from "../../../rpc/Client.ts"
import { useRpcMutation, useRpcQuery } from "../../shared/data/queries.ts"
import { useStoreId } from "../../shared/data/store.ts"

/** Polling intervals in milliseconds: while a job works on a set, and otherwise. Live updates of products reload sets, too. */
const RUNNING_MILLIS = 1000
const IDLE_MILLIS = 15_000

/** Maximum number of unfinished sets of a store, and its running import. */
const MAX_SHOWN = 50

export const isRunning = ({ state }: { readonly state: ChangeSetState }): boolean =>
  state === "previewing" || state === "applying"

export const isFinished = ({ state }: { readonly state: ChangeSetState }): boolean =>
  state === "applied" || state === "canceled" || state === "failed"

export const unfinishedKey = (storeId: StoreId) => [storeId, "changeSets", "unfinished"] as const

/** Unfinished change sets of the store, of all members, apps and agents. */
export const useUnfinishedChangeSets = () => {
  const storeId = useStoreId()
  return useRpcQuery(
    unfinishedKey(storeId),
    (client) => client.changeSets.list({ storeId, unfinished: true, limit: MAX_SHOWN }),
    { refetchInterval: (page) => (page?.items.some(isRunning) === true ? RUNNING_MILLIS : IDLE_MILLIS) }
  )
}

/** One change set, followed until it is finished. */
export const useChangeSet = (id: ChangeSet["id"]) => {
  const storeId = useStoreId()
  return useRpcQuery([storeId, "changeSets", id], (client) => client.changeSets.get({ storeId, id }), {
    refetchInterval: (set) => {
      if (set === undefined || isFinished(set)) return false
      return isRunning(set) ? RUNNING_MILLIS : IDLE_MILLIS
    }
  })
}

/** Applies, cancels and undoes change sets. An undo opens the page of its own set, with its preview. */
export const useChangeSetActions = () => {
  const storeId = useStoreId()
  const navigate = useNavigate()
  const invalidates = [[storeId, "changeSets"]]
  const apply = useRpcMutation({
    write: (client, input: { readonly id: ChangeSet["id"]; readonly onConflict: OnConflict }, idempotencyKey) =>
      client.changeSets.apply({ storeId, idempotencyKey, ...input }),
    invalidates
  })
  const cancel = useRpcMutation({
    write: (client, id: ChangeSet["id"], idempotencyKey) => client.changeSets.cancel({ storeId, idempotencyKey, id }),
    invalidates
  })
  const undo = useRpcMutation({
    write: (client, id: ChangeSet["id"], idempotencyKey) => client.changeSets.undo({ storeId, idempotencyKey, id }),
    invalidates,
    onSuccess: ({ id }) =>
      void navigate({ to: "/dashboard/$storeId/changes/$changeSetId", params: { storeId, changeSetId: id } })
  })
  return {
    apply: apply.mutate,
    cancel: cancel.mutate,
    undo: undo.mutate,
    isPending: apply.isPending || cancel.isPending || undo.isPending,
    error: apply.error ?? cancel.error ?? undo.error
  }
}
