import { Link } from "@tanstack/react-router"
import type { ChangeSet } from "../../../domain/changeSets/ChangeSet.ts"
import { useStoreId } from "../../shared/data/store.ts"
import css from "./Changes.module.css"
import { titleOf } from "./changeSummary.ts"
import { changeTexts } from "./changeTexts.ts"

const texts = changeTexts.running

/** Progress of change sets that are applied. */
export const RunningBar = ({ applying }: { readonly applying: ReadonlyArray<ChangeSet> }) => {
  const storeId = useStoreId()
  const [set, ...others] = applying
  if (set === undefined) return undefined
  const { done, total } = set.progress
  return (
    <section className={css["running"]} aria-label={changeTexts.list.title}>
      <span>{others.length === 0 ? texts.one(titleOf(set), done, total) : texts.many(applying.length)}</span>
      {others.length === 0 ? (
        <>
          <progress aria-label={changeTexts.page.progress} max={total} value={done} />
          <Link to="/dashboard/$storeId/changes/$changeSetId" params={{ storeId, changeSetId: set.id }}>
            {texts.view}
          </Link>
        </>
      ) : (
        <Link to="/dashboard/$storeId/changes" params={{ storeId }}>
          {texts.viewAll}
        </Link>
      )}
    </section>
  )
}
