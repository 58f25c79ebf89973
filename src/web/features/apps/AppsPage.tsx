import { Link } from "@tanstack/react-router"
import { Day, StatusBadge } from "../../shared/ui/display/Values.tsx"
import { alwaysGranted, grantDescriptions } from "../../shared/data/grants.ts"
import type { InstalledApp } from "../../../domain/access/Installations.ts"
import type { InstallationId, StoreId } from "../../../rpc/Client.ts"
import { usePagedQuery } from "../../shared/data/queries.ts"
import { Card, Page } from "../../shared/ui/layout/Page.tsx"
import { EmptyState, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../shared/ui/display/Table.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import css from "./Apps.module.css"
import { installationLabels } from "./appStatus.ts"
import { appTexts } from "./appTexts.ts"

type App = typeof InstalledApp.Type

const columnsOf = (storeId: StoreId): ReadonlyArray<Column<App>> => [
  {
    name: appTexts.list.app,
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
  { name: appTexts.list.status, cell: ({ state }) => <StatusBadge {...installationLabels[state]} /> },
  {
    name: appTexts.list.permissions,
    cell: ({ capabilities, scopes }) => (
      <span className={css["quiet"]}>
        {[...scopes, ...capabilities].map((name) => grantDescriptions[name].title).join(" · ") || alwaysGranted.title}
      </span>
    )
  },
  { name: appTexts.list.installed, cell: ({ installedAt }) => <Day className={css["when"]} at={installedAt} /> }
]

/** Installed apps. */
export const AppsPage = () => {
  const storeId = useStoreId()
  const { query, items, more } = usePagedQuery(
    [storeId, "apps"],
    (page: { readonly cursor?: InstallationId }) => (client) => client.installations.list({ storeId, ...page })
  )
  return (
    <Page title={appTexts.list.title}>
      <Card>
        <QueryBoundary query={{ ...query, data: items }}>
          {(apps) =>
            apps.length === 0 ? (
              <EmptyState title={appTexts.list.empty}>
                <p>{appTexts.list.emptyAdvice}</p>
              </EmptyState>
            ) : (
              <>
                <Table
                  caption={appTexts.list.caption}
                  rows={apps}
                  keyOf={({ id }) => id}
                  columns={columnsOf(storeId)}
                />
                <More {...more} />
              </>
            )
          }
        </QueryBoundary>
      </Card>
    </Page>
  )
}
