import { onlineManager, type QueryKey, useQueryClient } from "@tanstack/react-query"
import { Effect, Stream } from "effect"
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from "react"
import type { Changed, StoreId } from "../../../rpc/Client.ts"
import { isSignedOut } from "./errorMessages.ts"
import { runtime, Service } from "./service.ts"
import { nextSignIn } from "./session.ts"

/** Minimum interval between refetches, however many changes arrive. */
const REFETCH_INTERVAL = "1 second"

type ChangeListener = (changes: ReadonlyArray<Changed>) => void

/** Listeners to the changes of the open store. */
const Listeners = createContext<Set<ChangeListener> | undefined>(undefined)

/** Subscribes to batches of committed changes of the open store. */
export const useChanges = (listener: ChangeListener): void => {
  const listeners = useContext(Listeners)
  useEffect(() => {
    listeners?.add(listener)
    return () => void listeners?.delete(listener)
  }, [listener, listeners])
}

/** Latest change of each resource since the store was opened, by resource id. */
type LatestChanges = ReadonlyMap<string, Changed>

const NO_CHANGES: LatestChanges = new Map()

const Latest = createContext(NO_CHANGES)

/** Latest changes, for lists that are too long to refetch after each change. */
export const useLatestChanges = (): LatestChanges => useContext(Latest)

/** Query keys of lists that reconcile with `useLatestChanges` instead of being refetched. */
export const followedKey = (storeId: StoreId, list: string): QueryKey => [storeId, "followed", list]

/** List keys by resource kind. */
const listKeys = { product: "products", collection: "collections" } as const

interface LiveUpdatesProps {
  readonly storeId: StoreId
  readonly children: ReactNode
}

/**
 * Follows the change stream of a store and invalidates what changed: resources under `[store, kind, id]`, lists under
 * `[store, kind + "s"]`, and the activity, change set and store queries.
 */
export const LiveUpdates = ({ children, storeId }: LiveUpdatesProps) => {
  const queryClient = useQueryClient()
  const [listeners] = useState(() => new Set<ChangeListener>())
  const [latest, setLatest] = useState(NO_CHANGES)
  useEffect(() => {
    const publish = (changes: ReadonlyArray<Changed>) => {
      setLatest((before) => new Map([...before, ...changes.map((change) => [change.resourceId, change] as const)]))
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
    // A write asks for the sign-in, not the stream: a dialog that opens by itself interrupts the typing.
    const followed = Effect.retry(follow, {
      while: (error) => (isSignedOut(error) ? Effect.promise(nextSignIn) : false)
    })
    const fiber = runtime.runFork(Effect.ignore(followed, { log: "Debug" }))
    return () => {
      setLatest(NO_CHANGES)
      queryClient.removeQueries({ queryKey: [storeId, "followed"] })
      fiber.interruptUnsafe()
    }
  }, [listeners, queryClient, storeId])
  return (
    <Listeners value={listeners}>
      <Latest value={latest}>{children}</Latest>
    </Listeners>
  )
}

/** True while the browser is online. */
export const useOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline()
  )
