import { useQuery } from "@tanstack/react-query"
import { RelativeTime, StatusBadge } from "../../shared/ui/display/Values.tsx"
import { GATHER_SECONDS, MAX_REQUESTS, type RecentRequest } from "../../../domain/access/Requests.ts"
import { Card, MutedText } from "../../shared/ui/layout/Page.tsx"
import { EmptyState, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { type Column, Table } from "../../shared/ui/display/Table.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { requestsQuery, useInstallationId } from "./appQueries.ts"
import css from "./Apps.module.css"
import { responseStatus } from "./appStatus.ts"
import { appTexts } from "./appTexts.ts"

const COLUMNS: ReadonlyArray<Column<RecentRequest>> = [
  {
    name: appTexts.requests.request,
    cell: ({ method, route }) => (
      <code className={css["route"]}>
        {method} {route}
      </code>
    )
  },
  { name: appTexts.requests.response, cell: ({ status }) => <StatusBadge {...responseStatus(status)} /> },
  { name: appTexts.requests.time, cell: ({ at }) => <RelativeTime className={css["when"]} at={at} /> },
  {
    name: appTexts.requests.duration,
    isNumber: true,
    cell: ({ milliseconds }) => appTexts.requests.milliseconds(milliseconds)
  }
]

/** Last API requests of the app. */
export const RecentRequests = () => {
  const params = { storeId: useStoreId(), installationId: useInstallationId() }
  const query = useQuery({ ...requestsQuery(params), refetchInterval: GATHER_SECONDS * 1000 })
  return (
    <Card title={appTexts.requests.title}>
      <QueryBoundary query={query}>
        {(requests) =>
          requests.length === 0 ? (
            <EmptyState title={appTexts.requests.empty}>
              <p>{appTexts.requests.emptyAdvice(MAX_REQUESTS)}</p>
            </EmptyState>
          ) : (
            <>
              <Table
                caption={appTexts.requests.title}
                rows={requests}
                keyOf={({ requestId }) => requestId}
                columns={COLUMNS}
              />
              <MutedText>{appTexts.requests.shown(MAX_REQUESTS)}</MutedText>
            </>
          )
        }
      </QueryBoundary>
    </Card>
  )
}
