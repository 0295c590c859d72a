import express from 'express'
import { getResponse } from 'msw'
import { onTestFinished } from 'vitest'
import type { Operation } from '../contract/contract.ts'
import { type Contract, createSandbox, type Sandbox, type SandboxOptions } from '../index.ts'
import { toExpress } from '../transports/express.ts'
import { toHandlers } from '../transports/msw.ts'
import { listen } from './connections.ts'

/** An operation without parameters that answers with its own method and path. A body may be anything. */
export function operation(target: string, basePaths?: readonly string[]): Operation {
  const [method = '', path = ''] = target.split(' ')
  const validate = (): boolean => true
  return {
    id: target,
    method,
    path,
    secured: false,
    parameters: [],
    responses: [{ status: 200, schema: {}, validate, example: { operation: target } }],
    ...(basePaths && { basePaths }),
  }
}

/** A contract with these operations. The first base path is the main one. */
export function contractOf(
  basePaths: readonly string[],
  operations: readonly Operation[],
): Contract {
  const [basePath = ''] = basePaths
  return { title: 'Routes', version: '1', basePath, basePaths, operations }
}

/** Sends requests to a path of an origin through one transport. */
export type SendToPath = (method: string, path: string, init?: RequestInit) => Promise<Response>

/** How to reach a sandbox, by the name of the transport. */
export const TRANSPORTS: Readonly<Record<string, (sandbox: Sandbox) => Promise<SendToPath>>> = {
  'in process': async (sandbox) => (method, path, init) =>
    sandbox.fetch(new Request(`http://localhost${path}`, { ...init, method })),

  'by HTTP': async (sandbox) => {
    const { port, close } = await listen(sandbox)
    onTestFinished(close)
    return (method, path, init) => fetch(`http://127.0.0.1:${port}${path}`, { ...init, method })
  },

  'by Express, mounted at a path': async (sandbox) => {
    const server = express().use('/mock', toExpress(sandbox)).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : ''
    return (method, path, init) =>
      fetch(`http://127.0.0.1:${port}/mock${path}`, { ...init, method })
  },

  'by MSW': async (sandbox) => async (method, path, init) => {
    const request = new Request(`http://localhost${path}`, { ...init, method })
    const response = await getResponse(toHandlers(sandbox), request)
    return response ?? new Response(null, { status: 404 })
  },
}

/** A sandbox of these operations without limits. */
export function openRouted(
  basePaths: readonly string[],
  operations: readonly Operation[],
  options: SandboxOptions = {},
): Sandbox {
  return createSandbox({ contract: contractOf(basePaths, operations), ...options })
}
