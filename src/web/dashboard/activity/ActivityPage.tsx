import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { Page } from "../../ui/Page.tsx"
import { Answered, Empty } from "../../ui/States.tsx"
import { More } from "../../ui/Table.tsx"
import { Filters } from "./Filters.tsx"
import { type ActivitySearch, filterOf } from "./Search.ts"
import { Timeline } from "./Timeline.tsx"
import { useEntries } from "./useEntries.ts"

const route = getRouteApi("/dashboard/member/$storeId/activity")

/** Who changed what. */
export const ActivityPage = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [opened] = useState(Date.now)
  const { asked, items = [], more } = useEntries(filterOf(search, opened))
  const isFiltered = Object.keys(search).length > 0
  const choose = (chosen: ActivitySearch) => void navigate({ search: chosen, replace: true })
  return (
    <Page title="Activity">
      <Filters search={search} choose={choose} />
      <Answered asked={asked} lines={10}>
        {() => (
          <>
            {items.length > 0 || more.hasMore ? undefined : isFiltered ? (
              <Empty title="No matching activity">
                <Button onClick={() => choose({})}>Clear filters</Button>
              </Empty>
            ) : (
              <Empty title="No activity yet">
                <p>Every change to your store is listed here, with who made it and when.</p>
              </Empty>
            )}
            <Timeline entries={items} />
            <More {...more} />
          </>
        )}
      </Answered>
    </Page>
  )
}
