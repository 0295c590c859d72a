import { installOnDemand } from './install-on-demand.mjs'

let folder: Promise<string> | undefined

/** Installs MSW 3 once, and gives the folder that has it. `npm ci` cannot: MSW 3 refuses Node 20, which we support. */
export function installMsw3(): Promise<string> {
  folder ??= installOnDemand('msw-3', { msw: '3.0.5' })
  return folder
}
