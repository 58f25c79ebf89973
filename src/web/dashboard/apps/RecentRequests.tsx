import { GATHER_SECONDS, MAX_REQUESTS, type RecentRequest } from "../../../domain/access/Requests.ts"
import type { InstallationId } from "../../../rpc/Client.ts"
import { number } from "../../data/format.ts"
import { useRpcQuery } from "../../data/queries.ts"
import { Card, MutedText } from "../../ui/layout/Page.tsx"
import { EmptyState, QueryBoundary } from "../../ui/display/QueryBoundary.tsx"
import { type Column, Table } from "../../ui/display/Table.tsx"
import { useStoreId } from "../store.ts"
import css from "./Apps.module.css"
import { RelativeTime } from "./RelativeTime.tsx"
import { responseStatus } from "./appLabels.ts"
import { StatusBadge } from "../../ui/display/Badge.tsx"

const COLUMNS: ReadonlyArray<Column<RecentRequest>> = [
  {
    name: "Request",
    cell: ({ method, route }) => (
      <code className={css["route"]}>
        {method} {route}
      </code>
    )
  },
  { name: "Response", cell: ({ status }) => <StatusBadge {...responseStatus(status)} /> },
  { name: "Time", cell: ({ at }) => <RelativeTime at={at} /> },
  { name: "Duration", isNumber: true, cell: ({ milliseconds }) => `${number(milliseconds)} ms` }
]

/** Last API requests of the app. */
export const RecentRequests = ({ id }: { readonly id: InstallationId }) => {
  const storeId = useStoreId()
  const query = useRpcQuery(
    [storeId, "app", id, "requests"],
    (client) => client.installations.requests({ storeId, id }),
    {
      refetchInterval: GATHER_SECONDS * 1000
    }
  )
  return (
    <Card title="Recent requests">
      <QueryBoundary query={query}>
        {(requests) =>
          requests.length === 0 ? (
            <EmptyState title="No requests yet">
              <p>The last {MAX_REQUESTS} requests of this app appear here.</p>
            </EmptyState>
          ) : (
            <>
              <Table caption="Recent requests" rows={requests} keyOf={({ requestId }) => requestId} columns={COLUMNS} />
              <MutedText>Shows the last {MAX_REQUESTS} requests.</MutedText>
            </>
          )
        }
      </QueryBoundary>
    </Card>
  )
}
