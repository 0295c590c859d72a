import { installOnDemand } from './install-on-demand.mjs'

let folder: Promise<string> | undefined

/** Installs MSW 3 once, and returns the folder with its `node_modules`. `npm ci` cannot install it, because MSW 3 needs Node 22. */
export function installMsw3(): Promise<string> {
  folder ??= installOnDemand('msw-3', { msw: '3.0.5' })
  return folder
}
