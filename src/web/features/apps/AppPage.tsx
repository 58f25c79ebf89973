import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Day, StatusBadge } from "../../shared/ui/display/Values.tsx"
import { isMissing } from "../../shared/data/errorMessages.ts"
import { NotFoundPage, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { BackLink, Card, Facts, Page, FIRST_TAB, TabLinks } from "../../shared/ui/layout/Page.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { AppActions } from "./AppActions.tsx"
import { installationQuery, useInstallationId } from "./appQueries.ts"
import css from "./Apps.module.css"
import { installationLabels } from "./appStatus.ts"
import { appTexts } from "./appTexts.ts"

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
