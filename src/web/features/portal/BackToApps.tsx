import { Link } from "@tanstack/react-router"
import { portalTexts } from "./portalTexts.ts"

export const BackToApps = () => (
  <p>
    <Link to="/developers">{portalTexts.backToApps}</Link>
  </p>
)
