import { Time, Badge } from "../../shared/ui/display/Values.tsx"
import type { DevelopedInstallation } from "../../../domain/access/Developers.ts"
import { GRANT_DESCRIPTIONS } from "../../../domain/access/GrantDescriptions.ts"
import type { InstallationId } from "../../../rpc/Client.ts"
import { usePagedQuery } from "../../shared/data/queries.ts"
import { Card, MutedText } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../shared/ui/display/Table.tsx"
import { useApp } from "./AppPage.tsx"
import { portalTexts } from "./portalTexts.ts"

type Installation = typeof DevelopedInstallation.Type

const COLUMNS: ReadonlyArray<Column<Installation>> = [
  { name: portalTexts.installations.installation, cell: ({ id }) => <code>{id}</code> },
  {
    name: portalTexts.installations.permissions,
    cell: ({ capabilities, scopes }) =>
      [...scopes, ...capabilities].map((one) => GRANT_DESCRIPTIONS[one].title).join(", ")
  },
  {
    name: portalTexts.installations.status,
    cell: ({ state }) =>
      state === "suspended" ? (
        <Badge tone="warn">{portalTexts.installations.suspended}</Badge>
      ) : (
        <Badge tone="good">{portalTexts.installations.active}</Badge>
      )
  },
  { name: portalTexts.installations.installed, cell: ({ installedAt }) => <Time at={installedAt} /> }
]

/** Installations of an app. Stores stay anonymous until their token identifies them. */
export const Installations = () => {
  const appId = useApp().app.id
  const { query, items, more } = usePagedQuery(
    ["app", appId, "installations"],
    (cursor: { readonly cursor?: InstallationId }) => (client) => client.apps.installations({ id: appId, ...cursor })
  )
  return (
    <QueryBoundary query={{ data: items, error: query.error, refetch: query.refetch }}>
      {(installations) =>
        installations.length === 0 ? (
          <EmptyState title={portalTexts.installations.empty}>
            <p>{portalTexts.installations.emptyAdvice}</p>
          </EmptyState>
        ) : (
          <Card>
            <MutedText>{portalTexts.installations.storeAdvice}</MutedText>
            <Table
              caption={portalTexts.installations.caption}
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
