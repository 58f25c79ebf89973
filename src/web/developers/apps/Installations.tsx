import type { DevelopedInstallation } from "../../../domain/access/Developers.ts"
import { GRANT_DESCRIPTIONS } from "../../../domain/access/GrantDescriptions.ts"
import type { AppId, InstallationId } from "../../../rpc/Client.ts"
import { time } from "../../data/format.ts"
import { usePagedQuery } from "../../data/usePagedQuery.ts"
import { Badge } from "../../ui/display/Badge.tsx"
import { Card, MutedText } from "../../ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../ui/display/Table.tsx"
import { developerTexts } from "../developerTexts.ts"

type Installation = typeof DevelopedInstallation.Type

const COLUMNS: ReadonlyArray<Column<Installation>> = [
  { name: developerTexts.installations.installation, cell: ({ id }) => <code>{id}</code> },
  {
    name: developerTexts.installations.permissions,
    cell: ({ capabilities, scopes }) =>
      [...scopes, ...capabilities].map((one) => GRANT_DESCRIPTIONS[one].title).join(", ")
  },
  {
    name: developerTexts.installations.status,
    cell: ({ state }) =>
      state === "suspended" ? (
        <Badge tone="warn">{developerTexts.installations.suspended}</Badge>
      ) : (
        <Badge tone="good">{developerTexts.installations.active}</Badge>
      )
  },
  { name: developerTexts.installations.installed, cell: ({ installedAt }) => time(installedAt) }
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
          <EmptyState title={developerTexts.installations.empty}>
            <p>{developerTexts.installations.emptyAdvice}</p>
          </EmptyState>
        ) : (
          <Card>
            <MutedText>{developerTexts.installations.storeAdvice}</MutedText>
            <Table
              caption={developerTexts.installations.caption}
              rows={installations}
              keyOf={({ id }) => id}
              columns={COLUMNS}
            />
            <More {...more} />
          </Card>
        )
      }
    </QueryBoundary>
  )
}
