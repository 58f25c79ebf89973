import { onlineManager, type QueryKey, useQueryClient } from "@tanstack/react-query"
import { Effect, Stream } from "effect"
import { useEffect, useSyncExternalStore } from "react"
import type { Changed, StoreId } from "../../../rpc/Client.ts"
import { runtime, Service } from "./service.ts"

/** Minimum interval between refetches, however many changes arrive. */
const REFETCH_INTERVAL = "1 second"

type ChangeListener = (changes: ReadonlyArray<Changed>) => void

const listeners = new Set<ChangeListener>()

/** Subscribes to batches of committed changes of the open store. */
export const useChanges = (listener: ChangeListener): void => {
  useEffect(() => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [listener])
}

/** Latest change of each resource since the store was opened, by resource id. */
let latest: ReadonlyMap<string, Changed> = new Map()
const latestListeners = new Set<() => void>()

const publishLatest = (next: ReadonlyMap<string, Changed>) => {
  latest = next
  for (const listener of latestListeners) listener()
}

/** Latest changes, for lists that are too long to refetch after each change. */
export const useLatestChanges = (): ReadonlyMap<string, Changed> =>
  useSyncExternalStore(
    (listener) => {
      latestListeners.add(listener)
      return () => void latestListeners.delete(listener)
    },
    () => latest
  )

/** Query keys of lists that reconcile with `useLatestChanges` instead of being refetched. */
export const followedKey = (storeId: StoreId, list: string): QueryKey => [storeId, "followed", list]

/** List keys by resource kind. */
const listKeys = { product: "products", collection: "collections" } as const

/**
 * Follows the change stream of a store and invalidates what changed: resources under `[store, kind, id]`, lists under
 * `[store, kind + "s"]`, and the activity, change set and store queries.
 */
export const useLiveUpdates = (storeId: StoreId): void => {
  const queryClient = useQueryClient()
  useEffect(() => {
    const publish = (changes: ReadonlyArray<Changed>) => {
      publishLatest(new Map([...latest, ...changes.map((change) => [change.resourceId, change] as const)]))
      for (const key of new Set(changes.map(({ resource, resourceId }) => `${resource} ${resourceId}`))) {
        void queryClient.invalidateQueries({ queryKey: [storeId, ...key.split(" ")] })
      }
      const lists = new Set(changes.map(({ resource }) => listKeys[resource]))
      for (const list of [...lists, "activity", "changeSets", "store"])
        void queryClient.invalidateQueries({ queryKey: [storeId, list] })
      for (const listener of listeners) listener(changes)
    }
    // Queries that were sent before the stream opened may miss changes.
    const onFollowing = () => void queryClient.invalidateQueries({ queryKey: [storeId] })
    const follow = Effect.flatMap(Service, (client) =>
      client.changes({ storeId, onFollowing }).pipe(
        Stream.groupedWithin(Number.MAX_SAFE_INTEGER, REFETCH_INTERVAL),
        Stream.runForEach((changes) => Effect.sync(() => publish(changes)))
      )
    )
    const fiber = runtime.runFork(Effect.ignore(follow, { log: "Debug" }))
    return () => {
      publishLatest(new Map())
      queryClient.removeQueries({ queryKey: [storeId, "followed"] })
      fiber.interruptUnsafe()
    }
  }, [queryClient, storeId])
}

/** True while the browser is online. */
export const useOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline()
  )
