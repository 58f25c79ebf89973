import { Link } from "@tanstack/react-router"
import { Page, FIRST_TAB, TabLinks } from "../../shared/ui/layout/Page.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { settingsTexts } from "./settingsTexts.ts"

const { tabs, title } = settingsTexts.page

/** Settings of the store and of the signed-in account. */
export const SettingsPage = () => {
  const params = { storeId: useStoreId() }
  return (
    <Page title={title}>
      <TabLinks label={title}>
        <Link to="/dashboard/$storeId/settings" params={params} activeOptions={FIRST_TAB} resetScroll={false}>
          {tabs.store}
        </Link>
        <Link to="/dashboard/$storeId/settings/members" params={params} resetScroll={false}>
          {tabs.members}
        </Link>
        <Link to="/dashboard/$storeId/settings/sessions" params={params} resetScroll={false}>
          {tabs.sessions}
        </Link>
        <Link to="/dashboard/$storeId/settings/password" params={params} resetScroll={false}>
          {tabs.password}
        </Link>
      </TabLinks>
    </Page>
  )
}
