import { BackLink } from "../../shared/ui/layout/Page.tsx"
import { portalTexts } from "./portalTexts.ts"

export const BackToApps = () => <BackLink to="/developers">{portalTexts.backToApps}</BackLink>
