import { randomBytes } from 'node:crypto'
import type { Control } from '../control/control.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { ServeSettings } from './settings.ts'

/** A control interface, and what other machines must bring to it. */
export interface OpenedControl {
  readonly control: Control
  readonly token?: string
}

type ControlSettings = Pick<ServeSettings, 'host' | 'control' | 'controlToken' | 'controlOrigins'>

/** The control interface that the settings ask for. Where other machines reach it, it has a token, if need be a new one. */
export async function openControl(
  sandbox: Sandbox,
  { host, control = true, controlToken, controlOrigins = [] }: ControlSettings,
): Promise<OpenedControl | undefined> {
  if (!control) return undefined
  const token = controlToken ?? (isLoopback(host) ? undefined : newToken())
  const given = token === undefined ? {} : { token }
  // Only who serves it loads it.
  const { createControl } = await import('../control/control.ts')

  return { control: createControl(sandbox, { origins: controlOrigins, ...given }), ...given }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host)
}

function newToken(): string {
  return randomBytes(18).toString('base64url')
}
