import { Page } from "../../ui/layout/Page.tsx"
import { QueryBoundary } from "../../ui/display/QueryBoundary.tsx"
import { Tabs } from "../../ui/layout/Tabs.tsx"
import { useStore } from "../store.ts"
import { Members } from "./Members.tsx"
import { PasswordForm } from "./PasswordForm.tsx"
import { Sessions } from "./Sessions.tsx"
import { StoreSettings } from "./StoreSettings.tsx"

const StorePanel = () => <QueryBoundary query={useStore()}>{(store) => <StoreSettings store={store} />}</QueryBoundary>

/** Settings of the store and of the signed-in account. */
export const SettingsPage = () => (
  <Page title="Settings">
    <Tabs
      label="Settings"
      tabs={[
        { name: "Store", panel: <StorePanel /> },
        { name: "Members", panel: <Members /> },
        { name: "Sessions", panel: <Sessions /> },
        { name: "Password", panel: <PasswordForm /> }
      ]}
    />
  </Page>
)
