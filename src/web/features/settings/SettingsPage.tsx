import { getRouteApi } from "@tanstack/react-router"
import { Page } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { Tabs } from "../../shared/ui/layout/Tabs.tsx"
import { useStore } from "../../shared/data/store.ts"
import { Members } from "./Members.tsx"
import { PasswordForm } from "./PasswordForm.tsx"
import { Sessions } from "./Sessions.tsx"
import { StoreSettings } from "./StoreSettings.tsx"
import { settingsTexts } from "./settingsTexts.ts"

const StorePanel = () => <QueryBoundary query={useStore()}>{(store) => <StoreSettings store={store} />}</QueryBoundary>

const route = getRouteApi("/dashboard/member/$storeId/settings")

/** Settings of the store and of the signed-in account. */
export const SettingsPage = () => {
  const { tab } = route.useSearch()
  return (
    <Page title={settingsTexts.page.title}>
      <Tabs
        label={settingsTexts.page.title}
        initial={tab === undefined ? undefined : settingsTexts.page.tabs[tab]}
        tabs={[
          { name: settingsTexts.page.tabs.store, panel: <StorePanel /> },
          { name: settingsTexts.page.tabs.members, panel: <Members /> },
          { name: settingsTexts.page.tabs.sessions, panel: <Sessions /> },
          { name: settingsTexts.page.tabs.password, panel: <PasswordForm /> }
        ]}
      />
    </Page>
  )
}
