/** Creates an engine with all formats and parts at hand, so that every call of it is synchronous. */
import { storeMatrix } from '../formats/registry.js';
import type { Engine } from './engine.js';
import { EXTRAS } from './extras.js';
import { type EngineOptions, type Platform, startEngine } from './start-engine.js';

export type { DeviceChoice, EngineOptions, Platform } from './start-engine.js';

/** @throws as `startEngine` */
export function createEngineOn(platform: Platform, options: EngineOptions = {}): Promise<Engine> {
  return startEngine(platform, options, { store: storeMatrix, extras: EXTRAS });
}
