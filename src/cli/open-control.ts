import { randomBytes } from 'node:crypto'
import type { ActionListener } from '../control/action.ts'
import type { Control } from '../control/control.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { ServeSettings } from './settings.ts'

/** A control interface, and its token, when that was made here. */
export interface OpenedControl {
  readonly control: Control
  readonly newToken?: string
}

type ControlSettings = Pick<ServeSettings, 'host' | 'control' | 'controlToken' | 'controlOrigins'>

/** The control interface that the settings ask for. Where other machines reach it, it has a token, if need be a new one. */
export async function openControl(
  sandbox: Sandbox,
  { host, control = true, controlToken, controlOrigins = [] }: ControlSettings,
  onAction: ActionListener,
): Promise<OpenedControl | undefined> {
  if (!control) return undefined
  const newToken = controlToken !== undefined || isLoopback(host) ? undefined : makeToken()
  const token = controlToken ?? newToken
  // Only who serves it loads it.
  const { createControl } = await import('../control/control.ts')

  return {
    control: createControl(sandbox, {
      origins: controlOrigins,
      onAction,
      ...(token !== undefined && { token }),
    }),
    ...(newToken !== undefined && { newToken }),
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host)
}

function makeToken(): string {
  return randomBytes(18).toString('base64url')
}
