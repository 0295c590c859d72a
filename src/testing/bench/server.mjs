// Starts, measures and stops a server in its own process.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const START_TIMEOUT = 60_000

/** Starts a server, and measures the time from the command to the first response. */
export async function start({ command, cwd, node = process.execPath }, port, probe) {
  // Output goes to a file: this process, which makes the load, would have to read a pipe, and a terminal is slower.
  const file = join(tmpdir(), `pet-sandbox-bench-${port}.log`)
  const output = openSync(file, 'w')
  const began = performance.now()
  const child = spawn(node, command(String(port)).map(String), {
    ...(cwd && { cwd }),
    stdio: ['ignore', output, 'pipe'],
    env: { ...process.env, NO_COLOR: '1', NODE_ENV: 'production' },
  })
  closeSync(output)
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-2000)
  })
  const lastOutput = () => (errors || readFileSync(file, 'utf8').slice(-2000)).trim()

  const url = `http://127.0.0.1:${port}`
  while (performance.now() - began < START_TIMEOUT) {
    if (child.exitCode !== null) throw new Error(`The server ended: ${lastOutput()}`)
    const response = await fetch(url + probe.path, { headers: probe.headers }).catch(
      () => undefined,
    )
    await response?.arrayBuffer()
    if (response) return { child, url, started: performance.now() - began }
    await pause(2)
  }
  await stop(child)
  throw new Error(`The server did not respond within ${START_TIMEOUT / 1000} s: ${lastOutput()}`)
}

/** Stops a server, and waits until its process has ended. */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

/** Resident memory in megabytes; `undefined` without /proc. */
export function memoryOf({ pid }) {
  return megabytes(pid, 'VmRSS')
}

/** The most resident memory since the start, in megabytes; `undefined` without /proc. */
export function peakMemoryOf({ pid }) {
  return megabytes(pid, 'VmHWM')
}

function megabytes(pid, field) {
  const [, kilobytes] = new RegExp(`${field}:\\s+(\\d+)`).exec(proc(pid, 'status')) ?? []
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
}

/** Processor time in microseconds, in steps of 10 ms; `undefined` without /proc. */
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
