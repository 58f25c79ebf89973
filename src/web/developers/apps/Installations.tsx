import type { DevelopedInstallation } from "../../../domain/access/Developers.ts"
import { GRANT_DESCRIPTIONS } from "../../../domain/access/GrantDescriptions.ts"
import type { AppId, InstallationId } from "../../../rpc/Client.ts"
import { time } from "../../data/format.ts"
import { usePagedQuery } from "../../data/usePagedQuery.ts"
import { Badge } from "../../ui/display/Badge.tsx"
import { Card, MutedText } from "../../ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../ui/display/Table.tsx"

type Installation = typeof DevelopedInstallation.Type

const COLUMNS: ReadonlyArray<Column<Installation>> = [
  { name: "Installation", cell: ({ id }) => <code>{id}</code> },
  {
    name: "Permissions",
    cell: ({ capabilities, scopes }) =>
      [...scopes, ...capabilities].map((one) => GRANT_DESCRIPTIONS[one].title).join(", ")
  },
  {
    name: "Status",
    cell: ({ state }) =>
      state === "suspended" ? <Badge tone="warn">Suspended</Badge> : <Badge tone="good">Active</Badge>
  },
  { name: "Installed", cell: ({ installedAt }) => time(installedAt) }
]

/** Installations of an app. Stores stay anonymous until their token identifies them. */
export const Installations = ({ appId }: { readonly appId: AppId }) => {
  const { query, items, more } = usePagedQuery(
    ["app", appId, "installations"],
    (cursor: { readonly cursor?: InstallationId }) => (client) => client.apps.installations({ id: appId, ...cursor })
  )
  return (
    <QueryBoundary query={{ data: items, error: query.error, refetch: query.refetch }}>
      {(installations) =>
        installations.length === 0 ? (
          <EmptyState title="No installations yet">
            <p>Send a merchant to the authorization address under Get started.</p>
          </EmptyState>
        ) : (
          <Card>
            <MutedText>To learn which store an installation belongs to, read the store with its token.</MutedText>
            <Table caption="Installations" rows={installations} keyOf={({ id }) => id} columns={COLUMNS} />
            <More {...more} />
          </Card>
        )
      }
    </QueryBoundary>
  )
}
