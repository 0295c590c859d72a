import { randomBytes } from 'node:crypto'
import type { ActionListener } from '../control/action.ts'
import type { FindDiagnostics } from '../control/call.ts'
import type { Control } from '../control/control.ts'
import type { WorldHost } from '../sandbox/world-host.ts'
import type { ServeSettings } from './settings.ts'

/** A control interface, and its token if it was generated. */
export interface OpenedControl {
  readonly control: Control
  /** The token that requests from other machines need; absent when they are refused. */
  readonly token?: string
  readonly newToken?: string
}

type ControlSettings = Pick<ServeSettings, 'host' | 'control' | 'controlToken' | 'controlOrigins'>

/** Creates the control interface. If other machines can reach it, it has a token, which is generated if none is set. */
export async function openControl(
  worlds: WorldHost,
  { host, control = true, controlToken, controlOrigins = [] }: ControlSettings,
  onAction: ActionListener,
  findDiagnostics: FindDiagnostics,
): Promise<OpenedControl | undefined> {
  if (!control) return undefined
  const newToken = controlToken !== undefined || isLoopback(host) ? undefined : generateToken()
  const token = controlToken ?? newToken
  // Loaded only if the control interface is served.
  const { createControlOf } = await import('../control/control.ts')

  const options = { origins: controlOrigins, onAction, ...(token !== undefined && { token }) }

  return {
    control: createControlOf(worlds, options, findDiagnostics),
    ...(token !== undefined && { token }),
    ...(newToken !== undefined && { newToken }),
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host)
}

function generateToken(): string {
  return randomBytes(18).toString('base64url')
}
