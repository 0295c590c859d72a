// A server in a process of its own: started, asked, weighed and stopped.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const PATIENCE = 60_000

/** Starts a server; gives how long it took from the command to the first answer that is no error of the connection. */
export async function start({ command, cwd, node = process.execPath }, port, probe) {
  // To a file: a pipe would be read by the process that makes the load, and a terminal costs more.
  const file = join(tmpdir(), `pet-sandbox-bench-${port}.log`)
  const output = openSync(file, 'w')
  const began = performance.now()
  const child = spawn(node, command(String(port)).map(String), {
    ...(cwd && { cwd }),
    stdio: ['ignore', output, 'pipe'],
    env: { ...process.env, NO_COLOR: '1', NODE_ENV: 'production' },
  })
  closeSync(output)
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints = (complaints + chunk).slice(-2000)
  })
  const told = () => (complaints || readFileSync(file, 'utf8').slice(-2000)).trim()

  const url = `http://127.0.0.1:${port}`
  while (performance.now() - began < PATIENCE) {
    if (child.exitCode !== null) throw new Error(`it ended: ${told()}`)
    const response = await fetch(url + probe.path, { headers: probe.headers }).catch(
      () => undefined,
    )
    await response?.arrayBuffer()
    if (response) return { child, url, started: performance.now() - began }
    await pause(2)
  }
  await stop(child)
  throw new Error(`it did not answer within ${PATIENCE / 1000} s: ${told()}`)
}

/** Ends a server, and waits for it to be gone. */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

/** Resident memory in megabytes, where the system tells it in /proc. */
export function memoryOf({ pid }) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(proc(pid, 'status')) ?? []
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
}

/** Processor time so far in microseconds, where the system tells it in /proc; its ticks are of 10 ms. */
export function processorTimeOf({ pid }) {
  const fields = proc(pid, 'stat')
    .replace(/^.*\) /, '')
    .split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  return Number.isNaN(ticks) ? undefined : ticks * 10_000
}

function proc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
