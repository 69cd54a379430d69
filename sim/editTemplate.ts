import type { Container, Labels, PodTemplate } from './objects.ts';

/** What an operator may change in a pod template. Everything but the annotations is the first container's. */
export interface TemplateEdit {
  readonly image?: string;
  readonly env?: Labels;
  readonly requests?: Labels;
  readonly limits?: Labels;
  readonly annotations?: Labels;
}

/** A copy of a workload with its template edited; one without a template of its own comes back as it is. */
export function editTemplate<T extends { readonly spec: { readonly template?: PodTemplate } }>(
  object: T,
  edit: TemplateEdit,
): T {
  const { template } = object.spec;
  return template === undefined
    ? object
    : { ...object, spec: { ...object.spec, template: edited(template, edit) } };
}

/** The template with another image in its first container. */
export function withImage(template: PodTemplate, image: string): PodTemplate {
  return edited(template, { image });
}

function edited(template: PodTemplate, edit: TemplateEdit): PodTemplate {
  const [first, ...others] = template.spec.containers;
  if (first === undefined) return template;
  const annotations = { ...template.metadata.annotations, ...edit.annotations };
  return {
    metadata: { ...template.metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    spec: { ...template.spec, containers: [editContainer(first, edit), ...others] },
  };
}

function editContainer(container: Container, edit: TemplateEdit): Container {
  const added = Object.entries(edit.env ?? {}).map(([name, value]) => ({ name, value }));
  const kept = (container.env ?? []).filter((each) => !added.some(({ name }) => name === each.name));
  const requests = { ...container.resources.requests, ...edit.requests };
  const limits = { ...container.resources.limits, ...edit.limits };
  return {
    ...container,
    image: edit.image ?? container.image,
    ...(added.length === 0 ? {} : { env: [...kept, ...added] }),
    resources: {
      ...(Object.keys(requests).length === 0 ? {} : { requests }),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
    },
  };
}
