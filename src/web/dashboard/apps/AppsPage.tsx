import { Link } from "@tanstack/react-router"
import { GRANT_DESCRIPTIONS } from "../../../domain/access/GrantDescriptions.ts"
import type { InstalledApp } from "../../../domain/access/Installations.ts"
import type { InstallationId, StoreId } from "../../../rpc/Client.ts"
import { day } from "../../data/format.ts"
import { usePagedQuery } from "../../data/usePagedQuery.ts"
import { Card, Page } from "../../ui/layout/Page.tsx"
import { EmptyState, QueryBoundary } from "../../ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../ui/display/Table.tsx"
import { useStoreId } from "../store.ts"
import css from "./Apps.module.css"
import { installationLabels } from "./appLabels.ts"
import { StatusBadge } from "../../ui/display/Badge.tsx"

type App = typeof InstalledApp.Type

const columnsOf = (storeId: StoreId): ReadonlyArray<Column<App>> => [
  {
    name: "App",
    cell: ({ appName, id }) => (
      <Link
        className={css["name"]}
        to="/dashboard/$storeId/apps/$installationId"
        params={{ storeId, installationId: id }}
      >
        {appName}
      </Link>
    )
  },
  { name: "Status", cell: ({ state }) => <StatusBadge {...installationLabels[state]} /> },
  {
    name: "Permissions",
    cell: ({ capabilities, scopes }) => (
      <span className={css["quiet"]}>
        {[...scopes, ...capabilities].map((name) => GRANT_DESCRIPTIONS[name].title).join(" · ") ||
          "See the store itself"}
      </span>
    )
  },
  { name: "Installed", cell: ({ installedAt }) => <span className={css["when"]}>{day(installedAt)}</span> }
]

/** Installed apps. */
export const AppsPage = () => {
  const storeId = useStoreId()
  const { query, items, more } = usePagedQuery(
    [storeId, "apps"],
    (page: { readonly cursor?: InstallationId }) => (client) => client.installations.list({ storeId, ...page })
  )
  return (
    <Page title="Apps">
      <Card>
        <QueryBoundary query={{ ...query, data: items }}>
          {(apps) =>
            apps.length === 0 ? (
              <EmptyState title="No apps installed">
                <p>To install an app, start on its website. It brings you here to approve its permissions.</p>
              </EmptyState>
            ) : (
              <>
                <Table caption="Apps on this store" rows={apps} keyOf={({ id }) => id} columns={columnsOf(storeId)} />
                <More {...more} />
              </>
            )
          }
        </QueryBoundary>
      </Card>
    </Page>
  )
}
