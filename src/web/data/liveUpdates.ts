import { onlineManager, type QueryKey, useQueryClient } from "@tanstack/react-query"
import { Effect, Stream } from "effect"
import { useEffect, useSyncExternalStore } from "react"
import type { Changed, StoreId } from "../../rpc/Client.ts"
import { runtime, Service } from "./service.ts"

/** However many changes come, what is shown is asked for anew at most so often. */
const FLUSH_MILLIS = 1000

type ChangeListener = (changes: ReadonlyArray<Changed>) => void

const listeners = new Set<ChangeListener>()

/** Hears of the changes that are committed in the store that is open, some at a time. */
export const useChanges = (listener: ChangeListener): void => {
  useEffect(() => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [listener])
}

/** The last change of each resource since the store was opened, by its id: newer than what was asked for before. */
let latest: ReadonlyMap<string, Changed> = new Map()
const latestListeners = new Set<() => void>()

const publishLatest = (next: ReadonlyMap<string, Changed>) => {
  latest = next
  for (const listener of latestListeners) listener()
}

/** What changed since the store was opened, for lists that are too long to be asked for anew at each change. */
export const useLatestChanges = (): ReadonlyMap<string, Changed> =>
  useSyncExternalStore(
    (listener) => {
      latestListeners.add(listener)
      return () => void latestListeners.delete(listener)
    },
    () => latest
  )

/** Lists that hold what they show against `useLatest`, and are not asked for anew: kept while the store is followed. */
export const followedKey = (storeId: StoreId, list: string): QueryKey => [storeId, "followed", list]

/** What of a store is kept under which key, by the kind of resource. */
const listKeys = { product: "products", collection: "collections" } as const

/**
 * Follows a store for as long as its pages are open, and asks for what they show anew when somebody changes it: a
 * resource under `[store, kind, id]`, the lists under `[store, kind + "s"]`, and what sums them up.
 */
export const useLiveUpdates = (storeId: StoreId): void => {
  const queryClient = useQueryClient()
  useEffect(() => {
    let queued: Array<Changed> = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const flush = () => {
      const changes = queued
      queued = []
      timer = undefined
      publishLatest(new Map([...latest, ...changes.map((change) => [change.resourceId, change] as const)]))
      for (const key of new Set(changes.map(({ resource, resourceId }) => `${resource} ${resourceId}`))) {
        void queryClient.invalidateQueries({ queryKey: [storeId, ...key.split(" ")] })
      }
      const lists = new Set(changes.map(({ resource }) => listKeys[resource]))
      for (const list of [...lists, "activity", "store"])
        void queryClient.invalidateQueries({ queryKey: [storeId, list] })
      for (const listener of listeners) listener(changes)
    }
    // What the pages have asked for by then may lack what happened meanwhile.
    const onFollowing = () => void queryClient.invalidateQueries({ queryKey: [storeId] })
    const follow = Effect.flatMap(Service, (client) =>
      Stream.runForEach(client.changes({ storeId, onFollowing }), (change) =>
        Effect.sync(() => {
          queued.push(change)
          timer ??= setTimeout(flush, FLUSH_MILLIS)
        })
      )
    )
    const fiber = runtime.runFork(Effect.ignore(follow, { log: "Debug" }))
    return () => {
      clearTimeout(timer)
      publishLatest(new Map())
      queryClient.removeQueries({ queryKey: [storeId, "followed"] })
      fiber.interruptUnsafe()
    }
  }, [queryClient, storeId])
}

/** Whether the browser has a network at all. */
export const useOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline()
  )
