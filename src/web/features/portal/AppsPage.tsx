import { Link } from "@tanstack/react-router"
import { Day } from "../../shared/ui/display/Values.tsx"
import type { AppId } from "../../../rpc/Client.ts"
import { usePagedQuery } from "../../shared/data/queries.ts"
import { buttonClass } from "../../shared/ui/form/Button.tsx"
import { Card, Page } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../shared/ui/display/Table.tsx"
import type { App } from "./appDraft.ts"
import css from "./Portal.module.css"
import { portalTexts } from "./portalTexts.ts"

const COLUMNS: ReadonlyArray<Column<App>> = [
  {
    name: portalTexts.list.name,
    cell: ({ id, name }) => (
      <Link to="/developers/apps/$appId" params={{ appId: id }} className={css["name"]}>
        {name}
      </Link>
    )
  },
  { name: portalTexts.list.installations, cell: ({ installations }) => portalTexts.list.stores(installations) },
  {
    name: portalTexts.list.permissions,
    cell: ({ capabilities, scopes }) => portalTexts.list.permissionCount(scopes.length + capabilities.length)
  },
  { name: portalTexts.list.registered, cell: ({ createdAt }) => <Day at={createdAt} /> }
]

const RegisterAppLink = () => (
  <Link to="/developers/apps/new" className={buttonClass("strong")}>
    {portalTexts.list.register}
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
      title={portalTexts.list.title}
      actions={items === undefined || items.length === 0 ? undefined : <RegisterAppLink />}
    >
      <QueryBoundary query={{ data: items, error: query.error, refetch: query.refetch }}>
        {(apps) =>
          apps.length === 0 ? (
            <EmptyState title={portalTexts.list.empty}>
              <p>{portalTexts.list.emptyAdvice}</p>
              <RegisterAppLink />
            </EmptyState>
          ) : (
            <Card>
              <Table caption={portalTexts.list.title} columns={COLUMNS} rows={apps} keyOf={({ id }) => id} />
              <More {...more} />
            </Card>
          )
        }
      </QueryBoundary>
    </Page>
  )
}
