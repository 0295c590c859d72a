import { spawn } from 'node:child_process'
import { CONTROL_PATH } from '../http/paths.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { ServeSettings } from './settings.ts'

/** A program and its arguments, which open an address in the browser of the system. */
type Opener = readonly [program: string, ...given: string[]]

const OPENERS: Partial<Readonly<Record<NodeJS.Platform, Opener>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Of Linux and other systems with desktops (freedesktop.org). */
const DESKTOP_OPENER: Opener = ['xdg-open']

/** Throws a UsageError when the dashboard is to be opened but not served. */
export function requireDashboard({ open = false, control = true }: ServeSettings): void {
  if (!open || control) return
  throw new UsageError({
    code: 'invalid_setting',
    task: 'use --open',
    reason: 'without the control interface there is no dashboard',
    help: 'Leave out --no-control.',
  })
}

/** Opens the dashboard in the browser of the system. Writes a line to standard error when the system has none. */
export function openDashboard(
  origin: string,
  platform: NodeJS.Platform = process.platform,
  output: Pick<NodeJS.WriteStream, 'write'> = process.stderr,
): void {
  const address = `${origin}${CONTROL_PATH}`
  const [program, ...given] = OPENERS[platform] ?? DESKTOP_OPENER
  // Without a shell, so that no character of the address has a meaning.
  const opener = spawn(program, [...given, address], { stdio: 'ignore', detached: true })
  let isReported = false
  const report = (): void => {
    if (isReported) return
    isReported = true
    output.write(`pet-sandbox: No browser was found. Open ${address} in yours.\n`)
  }
  opener.on('error', report)
  opener.on('exit', (code) => {
    if (code !== 0) report()
  })
  opener.unref()
}
