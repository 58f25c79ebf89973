import { GATHER_SECONDS, MAX_REQUESTS, type RecentRequest } from "../../../domain/access/Requests.ts"
import type { InstallationId } from "../../../rpc/Client.ts"
import { number } from "../../data/Format.ts"
import { useAsked } from "../../data/Queries.ts"
import { Card, Quiet } from "../../ui/Page.tsx"
import { Answered, Empty } from "../../ui/States.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { useStoreId } from "../Store.ts"
import css from "./Apps.module.css"
import { Since } from "./Since.tsx"
import { Stands } from "./Stands.tsx"
import { answerStanding } from "./Words.ts"

const COLUMNS: ReadonlyArray<Column<RecentRequest>> = [
  {
    name: "Asked for",
    cell: ({ method, route }) => (
      <code className={css["route"]}>
        {method} {route}
      </code>
    )
  },
  { name: "Answer", cell: ({ status }) => <Stands {...answerStanding(status)} /> },
  { name: "When", cell: ({ at }) => <Since at={at} /> },
  { name: "Took", isNumber: true, cell: ({ milliseconds }) => `${number(milliseconds)} ms` }
]

/** What the app asked for last. */
export const Requests = ({ id }: { readonly id: InstallationId }) => {
  const storeId = useStoreId()
  const asked = useAsked([storeId, "app", id, "requests"], (client) => client.installations.requests({ storeId, id }), {
    refetchInterval: GATHER_SECONDS * 1000
  })
  return (
    <Card title="Recent requests">
      <Answered asked={asked}>
        {(requests) =>
          requests.length === 0 ? (
            <Empty title="It has asked for nothing yet">
              <p>Its last {MAX_REQUESTS} requests show up here.</p>
            </Empty>
          ) : (
            <>
              <Table caption="Recent requests" rows={requests} keyOf={({ requestId }) => requestId} columns={COLUMNS} />
              <Quiet>The last {MAX_REQUESTS} at most.</Quiet>
            </>
          )
        }
      </Answered>
    </Card>
  )
}
