import { lazy, Suspense } from "react"
import { useUnfinishedChangeSets } from "./useChangeSets.ts"

/** Loaded when a set runs, to keep the schemas of edits out of the first load. */
const RunningBar = lazy(() => import("./RunningBar.tsx").then(({ RunningBar }) => ({ default: RunningBar })))

/** Progress of the change sets that are applied in the store, on every page and for every member. */
export const RunningChanges = () => {
  const applying = useUnfinishedChangeSets().data?.items.filter(({ state }) => state === "applying") ?? []
  return applying.length === 0 ? undefined : (
    <Suspense>
      <RunningBar applying={applying} />
    </Suspense>
  )
}
