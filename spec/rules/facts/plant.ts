/** Markers in the place of every text of a raw object, for specs that look for what comes through. */

/** Places that hold the name of a volume, by which a mount finds it: marked by name, not by place. */
export const VOLUME_NAME =
  /\.(volumeMounts|volumeDevices|volumes)\.\d+\.name$|^volumeClaimTemplates\.\d+\.metadata\.name$/;

export interface Planted {
  readonly spec: unknown;
  /** Marker to the places where it stands. */
  readonly places: ReadonlyMap<string, readonly string[]>;
}

/** The same spec with a marker in the place of every text, and beside every map key that a user chooses. */
export function plant(spec: unknown): Planted {
  const places = new Map<string, string[]>();
  const mark = (place: string, text: string): string => {
    const marker = VOLUME_NAME.test(place) ? `marker-volume-${text}` : `marker-${places.size}-`;
    places.set(marker, [...(places.get(marker) ?? []), place]);
    return marker;
  };
  const walk = (value: unknown, place: string): unknown => {
    if (typeof value === 'string') return mark(place, value);
    if (Array.isArray(value)) return value.map((item, i) => walk(item, join(place, i)));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, child]) => [key, walk(child, join(place, key))]);
    const free = /(labels|annotations|matchLabels|nodeSelector|volumeAttributes|requests|limits)$/.test(
      place,
    );
    return Object.fromEntries(free ? [...entries, [mark(`${place}.<key>`, ''), 'x']] : entries);
  };
  return { spec: walk(spec, ''), places };
}

const join = (place: string, key: string | number): string => (place === '' ? `${key}` : `${place}.${key}`);
