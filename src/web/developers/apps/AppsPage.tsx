import { Link } from "@tanstack/react-router"
import type { AppId } from "../../../rpc/Client.ts"
import { count, day } from "../../data/format.ts"
import { usePagedQuery } from "../../data/usePagedQuery.ts"
import { buttonClass } from "../../ui/form/Button.tsx"
import { Card, Page } from "../../ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../ui/display/Table.tsx"
import type { App } from "./appDraft.ts"
import css from "./Apps.module.css"
import { developerTexts } from "../developerTexts.ts"

const COLUMNS: ReadonlyArray<Column<App>> = [
  {
    name: developerTexts.list.name,
    cell: ({ id, name }) => (
      <Link to="/developers/apps/$appId" params={{ appId: id }} className={css["name"]}>
        {name}
      </Link>
    )
  },
  { name: developerTexts.list.installations, cell: ({ installations }) => count(installations, "store") },
  {
    name: developerTexts.list.permissions,
    cell: ({ capabilities, scopes }) => count(scopes.length + capabilities.length, "permission")
  },
  { name: developerTexts.list.registered, cell: ({ createdAt }) => day(createdAt) }
]

const RegisterAppLink = () => (
  <Link to="/developers/apps/new" className={buttonClass("strong")}>
    {developerTexts.list.register}
  </Link>
)

/** Apps of the signed-in developer. */
export const AppsPage = () => {
  const { query, items, more } = usePagedQuery(
    ["apps"],
    (cursor: { readonly cursor?: AppId }) => (client) => client.apps.list(cursor)
  )
  return (
    <Page
      title={developerTexts.list.title}
      actions={items === undefined || items.length === 0 ? undefined : <RegisterAppLink />}
    >
      <QueryBoundary query={{ data: items, error: query.error, refetch: query.refetch }}>
        {(apps) =>
          apps.length === 0 ? (
            <EmptyState title={developerTexts.list.empty}>
              <p>{developerTexts.list.emptyAdvice}</p>
              <RegisterAppLink />
            </EmptyState>
          ) : (
            <Card>
              <Table caption={developerTexts.list.title} columns={COLUMNS} rows={apps} keyOf={({ id }) => id} />
              <More {...more} />
            </Card>
          )
        }
      </QueryBoundary>
    </Page>
  )
}
