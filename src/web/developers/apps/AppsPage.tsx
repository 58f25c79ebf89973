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

const COLUMNS: ReadonlyArray<Column<App>> = [
  {
    name: "Name",
    cell: ({ id, name }) => (
      <Link to="/developers/apps/$appId" params={{ appId: id }} className={css["name"]}>
        {name}
      </Link>
    )
  },
  { name: "Installations", cell: ({ installations }) => count(installations, "store") },
  { name: "Permissions", cell: ({ capabilities, scopes }) => count(scopes.length + capabilities.length, "permission") },
  { name: "Registered", cell: ({ createdAt }) => day(createdAt) }
]

const RegisterAppLink = () => (
  <Link to="/developers/apps/new" className={buttonClass("strong")}>
    Register app
  </Link>
)

/** Apps of the signed-in developer. */
export const AppsPage = () => {
  const { query, items, more } = usePagedQuery(
    ["apps"],
    (cursor: { readonly cursor?: AppId }) => (client) => client.apps.list(cursor)
  )
  return (
    <Page title="Apps" actions={items === undefined || items.length === 0 ? undefined : <RegisterAppLink />}>
      <QueryBoundary query={{ data: items, error: query.error, refetch: query.refetch }}>
        {(apps) =>
          apps.length === 0 ? (
            <EmptyState title="No apps yet">
              <p>Register an app so that merchants can install it in their stores.</p>
              <RegisterAppLink />
            </EmptyState>
          ) : (
            <Card>
              <Table caption="Apps" columns={COLUMNS} rows={apps} keyOf={({ id }) => id} />
              <More {...more} />
            </Card>
          )
        }
      </QueryBoundary>
    </Page>
  )
}
