import { useNavigate, Link } from "@tanstack/react-router"
import { useState } from "react"
import { useQuery } from "@tanstack/react-query"
import { DATA_HOURS } from "../../../domain/access/InstallationState.ts"
import type { InstalledApp } from "../../../domain/access/Installations.ts"
import { alwaysGranted, grantDescriptions } from "../../shared/data/grants.ts"
import { GATHER_SECONDS, MAX_REQUESTS, type RecentRequest } from "../../../domain/access/Requests.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Confirm } from "../../shared/ui/layout/Dialog.tsx"
import { Stack, Card, Facts, Page, MutedText, BackLink, FIRST_TAB, TabLinks } from "../../shared/ui/layout/Page.tsx"
import { ErrorNotice, QueryBoundary, EmptyState, NotFoundPage } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { Day, RelativeTime, StatusBadge } from "../../shared/ui/display/Values.tsx"
import { isMissing } from "../../shared/data/errorMessages.ts"
import { type Column, Table } from "../../shared/ui/display/Table.tsx"
import { appTexts } from "./appTexts.ts"
import { installationQuery, useInstallationId, requestsQuery } from "./appQueries.ts"
import css from "./Apps.module.css"
import { installationLabels, responseStatus } from "./appStatus.ts"

interface AppActionsProps {
  readonly app: typeof InstalledApp.Type
}

/** Suspends, resumes or uninstalls an app. */
const AppActions = ({ app: { appName, id, state } }: AppActionsProps) => {
  const storeId = useStoreId()
  const navigate = useNavigate()
  const [openDialog, setOpenDialog] = useState<"suspend" | "uninstall">()
  const isSuspended = state === "suspended"
  const invalidates = [
    [storeId, "app", id],
    [storeId, "apps"]
  ]
  const close = () => {
    setOpenDialog(undefined)
    suspend.reset()
    uninstall.reset()
  }
  const suspend = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.installations.suspend({ storeId, id, idempotencyKey }),
    invalidates,
    onSuccess: () => {
      setOpenDialog(undefined)
      toast(appTexts.actions.suspended(appName))
    }
  })
  const resume = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.installations.resume({ storeId, id, idempotencyKey }),
    invalidates,
    onSuccess: () => toast(appTexts.actions.resumed(appName))
  })
  const uninstall = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.installations.uninstall({ storeId, id, idempotencyKey }),
    invalidates: [[storeId, "apps"]],
    onSuccess: () => {
      toast(appTexts.actions.uninstalled(appName))
      void navigate({ to: "/dashboard/$storeId/apps", params: { storeId } })
    }
  })
  return (
    <>
      {resume.error === null ? undefined : <ErrorNotice error={resume.error} />}
      <Button onClick={() => (isSuspended ? resume.mutate() : setOpenDialog("suspend"))} isBusy={resume.isPending}>
        {isSuspended ? appTexts.actions.resume : appTexts.actions.suspend}
      </Button>
      <Button kind="danger" onClick={() => setOpenDialog("uninstall")}>
        {appTexts.actions.uninstall}
      </Button>
      <Confirm
        title={appTexts.actions.confirmSuspend(appName)}
        action={appTexts.actions.suspend}
        isOpen={openDialog === "suspend"}
        close={close}
        confirm={() => suspend.mutate()}
        isBusy={suspend.isPending}
        error={suspend.error}
      >
        <Stack>
          <p>{appTexts.actions.suspendBlocksRequests}</p>
          <p>{appTexts.actions.suspendDropsEvents}</p>
        </Stack>
      </Confirm>
      <Confirm
        title={appTexts.actions.confirmUninstall(appName)}
        action={appTexts.actions.uninstall}
        isOpen={openDialog === "uninstall"}
        close={close}
        confirm={() => uninstall.mutate()}
        isBusy={uninstall.isPending}
        error={uninstall.error}
      >
        <Stack>
          <p>{appTexts.actions.uninstallEndsAccess}</p>
          <p>{appTexts.actions.uninstallDeletesData(DATA_HOURS)}</p>
        </Stack>
      </Confirm>
    </>
  )
}

const { tabs } = appTexts.details

/** Page of one installed app. */
export const AppPage = () => {
  const storeId = useStoreId()
  const installationId = useInstallationId()
  const params = { storeId, installationId }
  const query = useQuery(installationQuery(params))
  if (isMissing(query.error)) return <NotFoundPage />
  const app = query.data
  return (
    <Page
      title={app?.appName ?? appTexts.details.fallbackTitle}
      above={
        <BackLink to="/dashboard/$storeId/apps" params={{ storeId }}>
          {appTexts.details.back}
        </BackLink>
      }
      actions={app === undefined ? undefined : <AppActions app={app} />}
    >
      <QueryBoundary query={query}>
        {({ installedAt, state }) => (
          <>
            {state === "suspended" ? <p className={css["note"]}>{appTexts.details.suspended}</p> : undefined}
            <Card>
              <Facts
                facts={[
                  [appTexts.details.status, <StatusBadge key="status" {...installationLabels[state]} />],
                  [appTexts.details.installed, <Day key="installed" at={installedAt} />]
                ]}
              />
            </Card>
            <TabLinks label={tabs.label}>
              <Link
                to="/dashboard/$storeId/apps/$installationId"
                params={params}
                activeOptions={FIRST_TAB}
                resetScroll={false}
              >
                {tabs.permissions}
              </Link>
              <Link to="/dashboard/$storeId/apps/$installationId/deliveries" params={params} resetScroll={false}>
                {tabs.deliveries}
              </Link>
              <Link to="/dashboard/$storeId/apps/$installationId/requests" params={params} resetScroll={false}>
                {tabs.requests}
              </Link>
              <Link to="/dashboard/$storeId/apps/$installationId/billing" params={params} resetScroll={false}>
                {tabs.billing}
              </Link>
            </TabLinks>
          </>
        )}
      </QueryBoundary>
    </Page>
  )
}

/** Permissions of the app, in the words of the consent page. */
export const AppPermissions = () => {
  const query = useQuery(installationQuery({ storeId: useStoreId(), installationId: useInstallationId() }))
  return (
    <Card title={appTexts.details.tabs.permissions}>
      <QueryBoundary query={query}>
        {({ capabilities, scopes }) => (
          <ul className={css["grants"]}>
            {[alwaysGranted, ...[...scopes, ...capabilities].map((name) => grantDescriptions[name])].map(
              ({ text, title, warning }) => (
                <li key={title}>
                  <h3>{title}</h3>
                  <p className={css["quiet"]}>{text}</p>
                  {warning === undefined ? undefined : <p className={css["warning"]}>{warning}</p>}
                </li>
              )
            )}
          </ul>
        )}
      </QueryBoundary>
    </Card>
  )
}

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
