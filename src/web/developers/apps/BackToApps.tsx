import { Link } from "@tanstack/react-router"

export const BackToApps = () => (
  <p>
    <Link to="/developers">← Apps</Link>
  </p>
)
