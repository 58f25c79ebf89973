import { onlineManager, type QueryKey, useQueryClient } from "@tanstack/react-query"
import { Effect, Stream } from "effect"
import { useEffect, useSyncExternalStore } from "react"
import type { Changed, StoreId } from "../../rpc/Client.ts"
import { runtime, Service } from "./Service.ts"

/** However many changes come, what is shown is asked for anew at most so often. */
const FLUSH = 1000

type Heard = (changes: ReadonlyArray<Changed>) => void

const listeners = new Set<Heard>()

/** Hears of the changes that are committed in the store that is open, some at a time. */
export const useChanges = (heard: Heard): void => {
  useEffect(() => {
    listeners.add(heard)
    return () => void listeners.delete(heard)
  }, [heard])
}

/** The last change of each resource since the store was opened, by its id: newer than what was asked for before. */
let latest: ReadonlyMap<string, Changed> = new Map()
const lookers = new Set<() => void>()

const setLatest = (next: ReadonlyMap<string, Changed>) => {
  latest = next
  for (const look of lookers) look()
}

/** What changed since the store was opened, for lists that are too long to be asked for anew at each change. */
export const useLatest = (): ReadonlyMap<string, Changed> =>
  useSyncExternalStore(
    (look) => {
      lookers.add(look)
      return () => void lookers.delete(look)
    },
    () => latest
  )

/** Lists that hold what they show against `useLatest`, and are not asked for anew: kept while the store is followed. */
export const followedKey = (storeId: StoreId, list: string): QueryKey => [storeId, "followed", list]

/** What of a store is kept under which key, by the kind of resource. */
const listKey = { product: "products", collection: "collections" } as const

/**
 * Follows a store for as long as its pages are open, and asks for what they show anew when somebody changes it: a
 * resource under `[store, kind, id]`, the lists under `[store, kind + "s"]`, and what sums them up.
 */
export const useLive = (storeId: StoreId): void => {
  const queries = useQueryClient()
  useEffect(() => {
    let waiting: Array<Changed> = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const flush = () => {
      const changes = waiting
      waiting = []
      timer = undefined
      setLatest(new Map([...latest, ...changes.map((change) => [change.resourceId, change] as const)]))
      for (const key of new Set(changes.map(({ resource, resourceId }) => `${resource} ${resourceId}`))) {
        void queries.invalidateQueries({ queryKey: [storeId, ...key.split(" ")] })
      }
      const lists = new Set(changes.map(({ resource }) => listKey[resource]))
      for (const list of [...lists, "activity", "store"]) void queries.invalidateQueries({ queryKey: [storeId, list] })
      for (const heard of listeners) heard(changes)
    }
    // What the pages have asked for by then may lack what happened meanwhile.
    const onFollowing = () => void queries.invalidateQueries({ queryKey: [storeId] })
    const follow = Effect.flatMap(Service, (client) =>
      Stream.runForEach(client.changes({ storeId, onFollowing }), (change) =>
        Effect.sync(() => {
          waiting.push(change)
          timer ??= setTimeout(flush, FLUSH)
        })
      )
    )
    const fiber = runtime.runFork(Effect.ignore(follow, { log: "Debug" }))
    return () => {
      clearTimeout(timer)
      setLatest(new Map())
      queries.removeQueries({ queryKey: [storeId, "followed"] })
      fiber.interruptUnsafe()
    }
  }, [queries, storeId])
}

/** Whether the browser has a network at all. */
export const useOnline = (): boolean =>
  useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline()
  )
