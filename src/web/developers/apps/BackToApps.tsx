import { Link } from "@tanstack/react-router"
import { developerTexts } from "../developerTexts.ts"

export const BackToApps = () => (
  <p>
    <Link to="/developers">{developerTexts.backToApps}</Link>
  </p>
)
