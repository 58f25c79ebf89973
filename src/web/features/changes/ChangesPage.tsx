import { ago, number } from "../../shared/data/format.ts"
import { Link } from "@tanstack/react-router"
import type { ChangeSet } from "../../../domain/changeSets/ChangeSet.ts"
import { usePagedQuery } from "../../shared/data/queries.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { StatusBadge } from "../../shared/ui/display/Values.tsx"
import { EmptyState, ErrorNotice, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../shared/ui/display/Table.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Card, MutedText, Page } from "../../shared/ui/layout/Page.tsx"
import { titleOf } from "./changeSummary.ts"
import { changeTexts } from "./changeTexts.ts"
import { isFinished, useChangeSetActions } from "./useChangeSets.ts"

const texts = changeTexts.list

const ChangeLink = ({ set }: { readonly set: ChangeSet }) => (
  <Link to="/dashboard/$storeId/changes/$changeSetId" params={{ storeId: useStoreId(), changeSetId: set.id }}>
    {titleOf(set)}
  </Link>
)

const columnsOf = (discard: (id: ChangeSet["id"]) => void): ReadonlyArray<Column<ChangeSet>> => [
  { name: texts.change, cell: (set) => <ChangeLink set={set} /> },
  { name: texts.state, cell: ({ state }) => <StatusBadge {...changeTexts.states[state]} /> },
  { name: texts.changed, isNumber: true, cell: ({ counts }) => number(counts.changed) },
  { name: texts.created, cell: ({ createdAt }) => ago(createdAt) },
  {
    name: texts.actions,
    isNameHidden: true,
    cell: (set) =>
      set.state === "ready" ? (
        <Button kind="quiet" onClick={() => discard(set.id)} aria-label={texts.discard(titleOf(set))}>
          {changeTexts.page.discard}
        </Button>
      ) : undefined
  }
]

/** Change sets of the store, newest first. Previews that nobody applies are discarded here. */
export const ChangesPage = () => {
  const storeId = useStoreId()
  const {
    items = [],
    more,
    query
  } = usePagedQuery(
    [storeId, "changeSets", "list"],
    (cursor: { readonly cursor?: ChangeSet["id"] }) => (client) => client.changeSets.list({ storeId, ...cursor }),
    { isPolled: (sets) => sets.some((set) => !isFinished(set) && set.state !== "ready") }
  )
  const { cancel, error } = useChangeSetActions()
  return (
    <Page title={texts.title}>
      <MutedText>{texts.advice}</MutedText>
      {error === null ? undefined : <ErrorNotice error={error} />}
      <QueryBoundary query={query} lines={8}>
        {() =>
          items.length === 0 ? (
            <EmptyState title={texts.empty}>
              <p>{texts.emptyAdvice}</p>
            </EmptyState>
          ) : (
            <Card>
              <Table caption={texts.title} columns={columnsOf(cancel)} rows={items} keyOf={({ id }) => id} />
              <More {...more} />
            </Card>
          )
        }
      </QueryBoundary>
    </Page>
  )
}
